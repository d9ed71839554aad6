// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared site is explained by its code, a witness whose steps begin with FILE:LINE:, and the edge to cut; from a report as from
// the inputs.
// RUN: %freehold analyze --base=%S -o %t.json %S/Inputs/shared.c
// RUN: %freehold explain Inputs/shared.c:21 %t.json | FileCheck %s --match-full-lines
// RUN: %freehold explain shared.c:21:16 %t.json | FileCheck %s --match-full-lines
// RUN: %freehold explain shared.c:21 --base=%S %S/Inputs/shared.c | FileCheck %s --match-full-lines
// CHECK:      Inputs/shared.c:21:16: shared: malloc(100) in main
// CHECK-NEXT:   reason FH101: stored in global head (freehold explain FH101)
// CHECK-NEXT: Inputs/shared.c:22: text is passed to parameter what of add
// CHECK-NEXT: Inputs/shared.c:15: what is stored in the field at offset 8 of the block allocated at Inputs/shared.c:14
// CHECK-NEXT: Inputs/shared.c:16: n is stored in global head
// CHECK-NEXT:   cut here: Inputs/shared.c:16: without the edge "n is stored in global head" this path does not exist
// CHECK-NEXT:   help: make the global thread-local, or keep the pointer in a local variable
