// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A local site is explained by its rule.
// RUN: %freehold explain shared.c:8 --base=%S %S/Inputs/shared.c | FileCheck %s --match-full-lines
// CHECK:      Inputs/shared.c:8:16: local: malloc(32) in worker
// CHECK-NEXT:   by rule unreachable: {{.*}}
