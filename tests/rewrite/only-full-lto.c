// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no full LTO link will follow nothing is renamed: ThinLTO, plain code. And without a configuration the plugin does nothing.
// RUN: %S/Inputs/with-config mode=compile -- %clang -O2 -flto=thin -fpass-plugin=%plugin -c %s -o %t.thin.bc
// RUN: llvm-nm %t.thin.bc | FileCheck %s
// RUN: %S/Inputs/with-config mode=compile -- %clang -O2 -flto=thin -ffat-lto-objects -fpass-plugin=%plugin -c %s -o %t.fat.o
// RUN: llvm-nm %t.fat.o | FileCheck %s
// RUN: %S/Inputs/with-config mode=compile -- %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// RUN: %clang -O2 -flto -fpass-plugin=%plugin -c %s -o %t.off.bc
// RUN: llvm-nm %t.off.bc | FileCheck %s
// CHECK-NOT: fh_site
// CHECK: U malloc
#include <stdlib.h>
void *make(size_t n) { return malloc(n); }
