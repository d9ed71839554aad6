// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// operator new of a constant size is inlined with the throwing function as slow path; array and nothrow new go out of line or
// inlined alike, and so does a direct call of ::operator new; aligned new stays.
// RUN: mkdir -p %t && %S/Inputs/compile %clang++ %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang++ %plugin %models %t/a force-local=new.cpp:23 force-local=new.cpp:24 force-local=new.cpp:25 \
// RUN:   force-local=new.cpp:26 force-local=new.cpp:27 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// CHECK: load ptr, ptr
// CHECK: call {{.*}}@fh_tls_new(i64 {{.*}}4) #[[COLD:[0-9]+]]
// CHECK: call {{.*}}@fh_tls_new(i64 {{.*}}%
// CHECK: call {{.*}}@fh_tls_new_nothrow(
// CHECK: load ptr, ptr
// CHECK: call {{.*}}@fh_tls_new(i64 {{.*}}5)
// CHECK: call {{.*}}@_ZnwmSt11align_val_t(
// CHECK: attributes #[[COLD]] = { {{.*}}cold
// MARK: sites=5
// MARK: rewritten=4
#include <new>
struct alignas(64) Wide { char Bytes[64]; };
void *volatile Sink;
int main(int argc, char **) {
  // one site a line
  Sink = new int(argc);
  Sink = new char[argc + 100];
  Sink = new (std::nothrow) long;
  Sink = ::operator new(5);
  Sink = new Wide;
}
