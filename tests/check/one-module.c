// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --freehold-check at a compile marks that module: it alone is instrumented, the others are named.
// RUN: mkdir -p %t && %S/../rewrite/Inputs/compile %clang %plugin check=1 -- -O1 %s -o %t/a.o
// RUN: %S/../rewrite/Inputs/compile %clang %plugin -- -O1 -DOTHER %s -o %t/b.o
// RUN: cp %s %t/other.c && %S/../rewrite/Inputs/compile %clang %plugin -- -O1 -DOTHER %t/other.c -o %t/b.o
// RUN: %S/../rewrite/Inputs/link %clang %plugin %models %t/a -- -O1 -shared %t/a.o %t/b.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// MARK: unchecked={{.*}}other.c
// MARK-NOT: unchecked
// CHECK-LABEL: define {{.*}}@first(
// CHECK: fh_check_access
// CHECK-LABEL: define {{.*}}@second(
// CHECK-NOT: call {{.*}}fh_check_access
// CHECK: ret void
#ifdef OTHER
void second(int *p) { *p = 1; }
#else
void first(int *p) { *p = 1; }
#endif
