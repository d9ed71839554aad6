// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are equal but for their ids are not merged into one of them.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 -Xclang -fmerge-functions %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=merge-functions.c:14 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-LABEL: define {{.*}}@one(
// CHECK: call {{.*}}@fh_tls_malloc(
// CHECK-LABEL: define {{.*}}@two(
// CHECK: call {{.*}}@malloc(
#include <stdlib.h>
char *volatile Sink;
// clang-format off
__attribute__((noinline)) void one(long n) {
  char *p = malloc(n); Sink = p; free(p);
}
__attribute__((noinline)) void two(long n) {
  char *p = malloc(n); Sink = p; free(p);
}
// clang-format on
int main(int argc, char **argv) {
  one(argc);
  two(argc);
  return 0;
}
