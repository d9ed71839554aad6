// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the second name, in a plain object.
void run_too(void);
void run_too(void) {}
