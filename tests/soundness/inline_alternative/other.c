// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The external definition, which keeps nothing.
int *kept;
void offer(int *block) { (void)block; }
