// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text report: summary, one line a site with excerpt and witness, assumptions, codes, the next command.
// RUN: %freehold analyze --base=%S %S/Inputs/shared.c > %t.txt
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.txt
//      CHECK:shared: 3 allocation sites in 3 functions: 1 local, 2 shared, 0 unknown; 0 rewritten
// CHECK-EMPTY:
// CHECK-NEXT:Inputs/shared.c:8:16: local [unreachable] malloc(32) in worker
// CHECK-NEXT:Inputs/shared.c:14:20: shared: stored in global head [FH101] malloc(16) in add
// CHECK-NEXT:  14 |   struct node *n = malloc(sizeof *n);
// CHECK-NEXT:     |                    ^~~~~~
// CHECK-NEXT:  Inputs/shared.c:16:8: n is stored in global head
// CHECK-NEXT:Inputs/shared.c:21:16: shared: stored in global head [FH101] malloc(100) in main
// CHECK-NEXT:  21 |   char *text = malloc(100);
// CHECK-NEXT:     |                ^~~~~~
// CHECK-NEXT:  Inputs/shared.c:22:3: text is passed to parameter what of add
// CHECK-NEXT:  Inputs/shared.c:15:11: what is stored in the field at offset 8 of the block allocated at Inputs/shared.c:14
// CHECK-NEXT:  Inputs/shared.c:16:8: n is stored in global head
//      CHECK:assumptions:
// CHECK-NEXT:  [FH901] only main and exported symbols are entered from outside: 1 at Inputs/shared.c:19
// CHECK-EMPTY:
// CHECK-NEXT:codes: freehold explain FH101 FH901
// CHECK-NEXT:next: freehold explain Inputs/shared.c:14 --base={{.*}} {{.*}}Inputs/shared.c
