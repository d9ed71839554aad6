// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A masked access is checked lane by lane: an inactive lane touches nothing.
// RUN: mkdir -p %t && %S/../rewrite/Inputs/compile %clang %plugin -- -O1 -mavx %s -o %t/a.o
// RUN: llvm-objcopy --dump-section=.llvm.lto=%t/a.bc %t/a.o
// RUN: %S/../rewrite/Inputs/link %clang %plugin %models %t/a check=1 -- -O1 -shared %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-LABEL: define {{.*}}@masked(
// CHECK: call void @fh_check_access(ptr {{.*}}, i64 {{[0-9]+}}, ptr {{.*}}, i32 0)
// CHECK: ret
typedef float Eight __attribute__((vector_size(32)));
typedef int Mask __attribute__((vector_size(32)));
Eight masked(const Eight *p, Mask m) { return __builtin_ia32_maskloadps256(p, m); }
