// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dead pair still vanishes behind the stand-in: at the compile, and as a local allocation at the link.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -DOTHER %s -o %t/b.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=dead-pair.c:18 force-local=dead-pair.c:20 -- -O2 %t/a.o %t/b.o
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: FileCheck %s < %t/a.ll
// MARK: rewritten=1
// CHECK-NOT: {{fh_site|fh_tls|fh_heads|@malloc}}
// CHECK-LABEL: define {{.*}}@main
// CHECK-NEXT: ret i32 0
#include <stdlib.h>
void drop(char *p);
#ifdef OTHER
void drop(char *p) { free(p); }
#else
int main(void) {
  char *p = malloc(20);
  free(p);
  char *q = malloc(30); // its free is in the other file: only the link sees that it is dead
  drop(q);
  return 0;
}
#endif
