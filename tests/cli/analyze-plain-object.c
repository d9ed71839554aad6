// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain object among the inputs may name every symbol it leaves undefined, and what it defines is not ours; that is said.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %clang -c -DPLAIN %s -o %t/plain.o
// RUN: %freehold-cc -O2 -g -c %s -o %t/ours.o
// RUN: %freehold analyze --base=%S %t/ours.o 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %freehold analyze --base=%S %t/ours.o %t/plain.o 2>&1 | FileCheck %s --check-prefix=BOTH
// ALONE-NOT: warning
// ALONE: local [unreachable] malloc(24) in take
// BOTH: warning: '{{.*}}plain.o' carries no bitcode (not made by freehold-cc): its code counts as external [FH303]
// BOTH: shared: {{.*}} malloc(24) in take
#include <stdlib.h>
char *take(void);
void use(char *p);
#ifdef PLAIN
char *kept;
void peek(void) { kept = take(); }
#else
__attribute__((noinline)) char *take(void) { return malloc(24); }
int main(void) { free(take()); }
#endif
