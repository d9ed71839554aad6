// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neither half of a fat object names a stand-in, whatever the optimisation.
// RUN: mkdir -p %t
// RUN: %S/Inputs/compile %clang %plugin -- -O0 %s -o %t/0.o && llvm-readelf -sW %t/0.o | FileCheck %s
// RUN: %S/Inputs/compile %clang %plugin -- -O1 %s -o %t/1.o && llvm-readelf -sW %t/1.o | FileCheck %s
// RUN: %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/2.o && llvm-readelf -sW %t/2.o | FileCheck %s
// RUN: %S/Inputs/compile %clang %plugin -- -O3 %s -o %t/3.o && llvm-readelf -sW %t/3.o | FileCheck %s
// RUN: llvm-objcopy --dump-section=.llvm.lto=%t/3.bc %t/3.o && llvm-nm %t/3.bc | FileCheck --check-prefix=BITCODE %s
// CHECK-NOT: fh_
// CHECK: UND malloc
// CHECK-NOT: fh_
// BITCODE-NOT: fh_
// BITCODE: U malloc
// BITCODE-NOT: fh_
#include <stdlib.h>
void *make(size_t n) { return malloc(n); }
void *grow(void *p, size_t n) { return realloc(p, n); }
