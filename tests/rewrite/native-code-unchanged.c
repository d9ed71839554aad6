// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The native half is, but for the names it went through, the code clang makes in a plain compile.
// RUN: mkdir -p %t
// RUN: %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/with.o
// RUN: %clang -O2 -c %s -o %t/without.o
// RUN: llvm-objcopy -O binary --only-section=.text %t/with.o %t/with.text
// RUN: llvm-objcopy -O binary --only-section=.text %t/without.o %t/without.text
// RUN: cmp %t/with.text %t/without.text
#include <stdlib.h>
struct list { struct list *next; int value; };
struct list *push(struct list *l, int v) {
  struct list *n = malloc(sizeof *n);
  if (!n)
    abort();
  n->next = l;
  n->value = v;
  return n;
}
