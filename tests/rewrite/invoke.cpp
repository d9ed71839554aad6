// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocation that may throw inside a try block: the popped block joins the invoke's normal edge.
// RUN: mkdir -p %t && %S/Inputs/compile %clang++ %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang++ %plugin %models %t/a force-local=invoke.cpp:21 -- -O2 %t/a.o
// RUN: opt -passes=verify -S %t/a.ll | FileCheck %s
// CHECK: icmp eq ptr %[[B:.*]], null
// CHECK-NEXT: br i1 {{.*}}, label %[[SLOW:.*]], label %[[POP:[0-9]+]],
// CHECK: [[POP]]:
// CHECK: br label %[[DONE:[0-9]+]]
// CHECK: [[SLOW]]:
// CHECK-NEXT: %[[S:.*]] = invoke {{.*}}@fh_tls_new(i64 {{.*}}32)
// CHECK-NEXT: to label %[[DONE]] unwind label
// CHECK: [[DONE]]:
// CHECK-NEXT: phi ptr [ %[[B]], %[[POP]] ], [ %[[S]], %[[SLOW]] ]
struct Four { long Words[4]; };
Four *volatile Sink;
int main() {
  try {
    for (int I = 0; I < 3; ++I)
      // one site
      Sink = new Four;
  } catch (...) {
    return 1;
  }
}
