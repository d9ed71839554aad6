// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operator new keeps its name, yet equal calls in the arms of an if, in a landing pad's reach, and in equal functions stay as many
// calls, so that each gets its own verdict.
// RUN: mkdir -p %t && %S/Inputs/compile %clang++ %plugin -- -O2 -Xclang -fmerge-functions %s -o %t/a.o
// RUN: %S/Inputs/link %clang++ %plugin %models %t/a force-local=new-arms.cpp:34 force-local=new-arms.cpp:28 \
// RUN:   force-local=new-arms.cpp:41 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// CHECK-LABEL: define {{.*}}@_Z3onel(
// CHECK: call {{.*}}@fh_tls_new(
// CHECK-LABEL: define {{.*}}@_Z3twol(
// CHECK: call {{.*}}@_Znwm(
// CHECK-LABEL: define {{.*}}@main
// CHECK-DAG: call {{.*}}@fh_tls_new(i64 {{.*}}%
// CHECK-DAG: call {{.*}}@_Znwm(i64 {{.*}}%
// CHECK-DAG: invoke {{.*}}@fh_tls_new(i64 {{.*}}%
// CHECK-DAG: invoke {{.*}}@_Znwm(i64 {{.*}}%
// CHECK-LABEL: declare
// MARK: ids-lost=0
// MARK: rewritten=3
#include <new>
struct Guard { ~Guard(); };
void *volatile Sink;
__attribute__((noinline)) void pass(void *P) { Sink = P; }
Guard::~Guard() { pass(nullptr); }
// clang-format off
__attribute__((noinline)) void one(long n) {
  char *p = static_cast<char *>(__builtin_operator_new(n)); Sink = p; __builtin_operator_delete(p);
}
__attribute__((noinline)) void two(long n) { char *p = static_cast<char *>(__builtin_operator_new(n)); Sink = p; __builtin_operator_delete(p); }
// clang-format on
int main(int argc, char **) {
  if (argc & 1)
    Sink = __builtin_operator_new(argc * 10L);
  else
    Sink = __builtin_operator_new(argc * 10L);
  {
    Guard G;
    void *P;
    if (argc & 2)
      P = __builtin_operator_new(argc * 20L);
    else
      P = __builtin_operator_new(argc * 20L);
    Sink = P;
  }
  one(argc);
  two(argc);
}
