// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitcode, IR as text, an object, an archive and compile_commands.json give the verdicts the source gives.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %clang -O2 -Xclang -disable-llvm-passes -g -emit-llvm -c %S/Inputs/shared.c -o %t/a.bc
// RUN: %clang -O0 -g -emit-llvm -S %S/Inputs/shared.c -o %t/a.ll
// RUN: %freehold-cc -O2 -g -c %S/Inputs/shared.c -o %t/a.o
// RUN: ar rc %t/liba.a %t/a.o
// RUN: echo '[{"directory": "%S/Inputs", "file": "shared.c", "command": "cc -O1 -MD -MF x.d -o shared.o -c shared.c"}]' > %t/compile_commands.json
// RUN: %freehold analyze --base=%S %S/Inputs/shared.c | FileCheck %s
// RUN: %freehold analyze --base=%S %t/a.bc | FileCheck %s
// RUN: %freehold analyze --base=%S %t/a.ll | FileCheck %s
// RUN: %freehold analyze --base=%S %t/a.o | FileCheck %s
// RUN: %freehold analyze --base=%S %t/liba.a | FileCheck %s
// RUN: %freehold analyze --base=%S %t/compile_commands.json | FileCheck %s
// CHECK: 3 allocation sites in 3 functions: 1 local, 2 shared, 0 unknown; 0 rewritten
// CHECK: shared.c:8:16: local [unreachable] malloc(32) in worker
// CHECK: shared.c:14:20: shared: stored in global head [FH101] malloc(16) in add
// CHECK: shared.c:21:16: shared: stored in global head [FH101] malloc(100) in main
