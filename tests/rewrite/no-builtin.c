// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fno-builtin, -fno-builtin-malloc and -ffreestanding forbid the compiler to assume what malloc does; at the link it is known whose
// malloc it is. So the calls are sites, and dead pairs stay.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 -fno-builtin %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -fno-builtin-malloc -fno-builtin-strdup %s -o %t/b.o
// RUN: %S/Inputs/link %clang %plugin %models %t/b -- -O2 %t/b.o
// RUN: FileCheck --check-prefix=MARK %s < %t/b.mark
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -ffreestanding %s -o %t/c.o
// RUN: %S/Inputs/link %clang %plugin %models %t/c -- -O2 %t/c.o
// RUN: FileCheck --check-prefix=MARK %s < %t/c.mark
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -fno-builtin %s -DOWN -o %t/d.o
// RUN: %S/Inputs/link %clang %plugin %models %t/d -- -O2 %t/d.o
// RUN: FileCheck --check-prefix=OWN %s < %t/d.mark
// CHECK-LABEL: define {{.*}}@main
// CHECK: call ptr @fh_tls_malloc_class(i32 1)
// CHECK: call {{.*}}@fh_tls_strdup(
// CHECK: call {{.*}}@malloc(
// MARK: ids-lost=0
// MARK: rewritten=2
// OWN: rewritten=0
void *malloc(unsigned long size);
char *strdup(const char *text);
void free(void *block);
void *shared;
#ifdef OWN // the program's own: nothing is ours to say
static char room[1000];
void *malloc(unsigned long size) { return room + size; }
void free(void *block) { shared = block; }
#endif
int main(int argc, char **argv) {
  char *p = malloc(20);
  char *q = strdup(argv[0]);
  shared = malloc(30);
  free(p);
  free(q);
  return 0;
}
