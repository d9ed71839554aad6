// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a shared library the heads lie behind a thread-local pointer, which is null before the thread's first slow path.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -fPIC -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a kind=shared force-local=inline-shared.c:19 -- -shared -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK: @fh_heads_base = external thread_local(initialexec) global ptr
// CHECK: call ptr @llvm.threadlocal.address.p0(ptr @fh_heads_base)
// CHECK-NEXT: %[[BASE:.*]] = load ptr
// CHECK-NEXT: %[[N:.*]] = icmp eq ptr %[[BASE]], null
// CHECK-NEXT: br i1 %[[N]], label %[[SLOW:.*]], label %[[TEST:[0-9]+]]
// CHECK: [[TEST]]:
// CHECK-NEXT: %[[H:.*]] = getelementptr inbounds ptr, ptr %[[BASE]], i64 1
// CHECK-NEXT: load ptr, ptr %[[H]]
// CHECK: [[SLOW]]:
// CHECK-NEXT: call ptr @fh_tls_malloc_class(i32 0)
#include <stdlib.h>
char *volatile Sink;
void work(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
}
