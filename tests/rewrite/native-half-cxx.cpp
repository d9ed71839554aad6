// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++: plain, array and nothrow new, and malloc called by invoke, are named as written in the native half.
// RUN: mkdir -p %t
// RUN: %S/Inputs/compile %clang++ %plugin -- -O0 %s -o %t/0.o && llvm-readelf -sW %t/0.o | FileCheck %s
// RUN: %S/Inputs/compile %clang++ %plugin -- -O1 %s -o %t/1.o && llvm-readelf -sW %t/1.o | FileCheck %s
// RUN: %S/Inputs/compile %clang++ %plugin -- -O2 %s -o %t/2.o && llvm-readelf -sW %t/2.o | FileCheck %s
// RUN: %S/Inputs/compile %clang++ %plugin -- -O3 %s -o %t/3.o && llvm-readelf -sW %t/3.o | FileCheck %s
// CHECK-NOT: fh_
// CHECK-DAG: UND _Znwm{{$}}
// CHECK-DAG: UND _Znam{{$}}
// CHECK-DAG: UND _ZnwmRKSt9nothrow_t{{$}}
// CHECK-NOT: fh_
#include <cstdlib>
#include <new>
struct Guard { ~Guard(); };
int *one(int n) { Guard G; return new int(n); }
int *many(int n) { return new int[n]; }
int *maybe() { return new (std::nothrow) int; }
void *plain(int n) { Guard G; return std::malloc(n); }
