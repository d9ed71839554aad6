// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-2: an address is passed through a pointer that may be any function, and leads from one block to another there.
#include "soundness.h"

struct shelf {
  int *slot;
};

static void *user(void *arg) {
  struct shelf *theirs = arg;
  *theirs->slot += 1;
  return NULL;
}

static void place(intptr_t address) {
  struct shelf *mine = calloc(1, sizeof *mine); // any
  int *held = calloc(1, sizeof *held);          // not-local
  intptr_t distance = address - (intptr_t)mine;
  struct shelf *found = (struct shelf *)((char *)mine + distance);
  found->slot = held;
  on_thread(user, (void *)address);
  EXPECT(*held == 1);
  free(held);
  free(mine);
}

int main(void) {
  struct shelf *theirs = calloc(1, sizeof *theirs); // not-local
  void (*any)(intptr_t) = place;
  __asm__ volatile("nop" : "+r"(any));
  any((intptr_t)theirs);
  free(theirs);
  return 0;
}
