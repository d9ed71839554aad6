// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function behind the inline one, and the one of its name, which no call reaches.
int counted_real(int *block) { return *block + 1; }
int counted(int *block) { return *block + 1; }
