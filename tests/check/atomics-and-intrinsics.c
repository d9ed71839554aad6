// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations, volatile accesses, memory intrinsics (both ends, with their length) and struct copies are checked.
// RUN: mkdir -p %t && %S/../rewrite/Inputs/compile %clang %plugin -- -O1 %s -o %t/a.o
// RUN: %S/../rewrite/Inputs/link %clang %plugin %models %t/a check=1 -- -O1 -shared %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-LABEL: define {{.*}}@add(
// CHECK: call void @fh_check_access(ptr %0, i64 4, ptr {{.*}}, i32 1)
// CHECK: atomicrmw
// CHECK-LABEL: define {{.*}}@swap(
// CHECK: call void @fh_check_access(ptr %0, i64 8, ptr {{.*}}, i32 1)
// CHECK: cmpxchg
// CHECK-LABEL: define {{.*}}@look(
// CHECK: call void @fh_check_access(ptr %0, i64 2, ptr {{.*}}, i32 0)
// CHECK: load volatile
// CHECK-LABEL: define {{.*}}@copy(
// CHECK-DAG: call void @fh_check_access(ptr %0, i64 %2, ptr {{.*}}, i32 1)
// CHECK-DAG: call void @fh_check_access(ptr %1, i64 %2, ptr {{.*}}, i32 0)
// CHECK: call void @llvm.memcpy
// CHECK-LABEL: define {{.*}}@clear(
// CHECK: call void @fh_check_access(ptr %0, i64 200, ptr {{.*}}, i32 1)
// CHECK: call void @llvm.memset
#include <string.h>
int add(int *p) { return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
_Bool swap(long *p, long a, long b) { return __atomic_compare_exchange_n(p, &a, b, 0, 5, 5); }
short look(volatile short *p) { return *p; }
void copy(char *p, char *q, size_t n) { memcpy(p, q, n); }
void clear(char *p) { memset(p, 0, 200); }
