// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module whose summary cannot be read counts as external; the link goes on and says so.
// RUN: mkdir -p %t && %S/Inputs/with-config mode=compile -- %clang -g -O2 -flto -funified-lto -fno-split-lto-unit -fpass-plugin=%plugin -c %s -o %t/a.bc
// RUN: llvm-dis %t/a.bc -o %t/a.ll
// RUN: sed 's/fh-summary [0-9]*/fh-summary 2/' %t/a.ll | llvm-as -o %t/older.bc
// RUN: %S/Inputs/link %clang %plugin %models %t/older -- -O2 %t/older.bc
// RUN: FileCheck --check-prefixes=CHECK,OLDER %s < %t/older.mark
// RUN: FileCheck --check-prefix=CODE %s < %t/older.ll
// RUN: FileCheck --check-prefix=REPORT %s < %t/older.json
// RUN: sed 's/\(fh-summary [0-9]*\\0A\)../\1/' %t/a.ll | llvm-as -o %t/cut.bc
// RUN: %S/Inputs/link %clang %plugin %models %t/cut -- -O2 %t/cut.bc
// RUN: FileCheck --check-prefixes=CHECK,CUT %s < %t/cut.mark
// RUN: FileCheck --check-prefix=CODE %s < %t/cut.ll
// RUN: FileCheck --check-prefix=REPORT %s < %t/cut.json
// CHECK: modules=0
// CHECK-NEXT: summaries-bad=1
// CHECK-NEXT: sites=0
// OLDER: warning=1 of the modules have a summary that cannot be read, what they do is not known [FH303]: a summary of format 2,
// CUT: warning=1 of the modules have a summary that cannot be read, what they do is not known [FH303]: damaged summary
// CODE-NOT: fh_
// CODE: call {{.*}}@malloc(
// CODE-NOT: fh_
// REPORT: modules whose summary cannot be read
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
