// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call copied by inlining keeps its id in every copy: one site, all copies rewritten.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=copies.c:12 -- -O2 %t/a.o
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: FileCheck %s < %t/a.ll
// MARK: sites=1
// CHECK-COUNT-3: call {{.*}}@fh_tls_malloc(
// CHECK-NOT: call {{.*}}malloc(
#include <stdlib.h>
char *volatile Sink;
static inline __attribute__((always_inline)) void work(long n) { char *p = malloc(n); Sink = p; free(p); }
int main(int argc, char **argv) {
  work(argc);
  if (Sink)
    work(argc * 2L);
  if (Sink)
    work(argc * 3L);
  return 0;
}
