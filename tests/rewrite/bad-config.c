// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A configuration that is not understood turns the plugin off with one line; the compile succeeds.
// RUN: %S/Inputs/with-config mode=compile colour=red -- %clang -O2 -flto -fpass-plugin=%plugin -c %s -o %t.bc 2>&1 | FileCheck %s
// RUN: llvm-nm %t.bc | FileCheck --check-prefix=OFF %s
// CHECK: freehold: warning: 'colour=red' in '{{.*}}' is not understood
// CHECK-NOT: warning
// OFF-NOT: fh_
// OFF: U malloc
#include <stdlib.h>
void *make(size_t n) { return malloc(n); }
