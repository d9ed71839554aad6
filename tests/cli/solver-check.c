// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check-solver solves naively too and agrees.
// RUN: %freehold analyze --check-solver --base=%S %S/Inputs/shared.c | FileCheck %s
// CHECK: 1 local, 2 shared, 0 unknown
