// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the first name, and does nothing.
void run(void);
void run(void) {}
