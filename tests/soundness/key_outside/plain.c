// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code outside the analysis.
#include <pthread.h>

static int *kept;
void plain_look(pthread_key_t key) { kept = pthread_getspecific(key); }
int *plain_give(void) { return kept; }
