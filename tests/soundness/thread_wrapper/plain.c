// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

void run_in_thread(void *(*f)(void *), void *p);
void run_in_thread(void *(*f)(void *), void *p) { on_thread(f, p); }
