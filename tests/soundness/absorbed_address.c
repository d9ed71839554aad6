// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-2: an address comes back out of memory that the outside knows, as part of a distance, and leads to another block.
#include "soundness.h"

struct shelf {
  int *slot;
};
struct box {
  intptr_t address;
};

static void *user(void *arg) {
  struct shelf *theirs = arg;
  *theirs->slot += 1;
  return NULL;
}

int main(void) {
  struct box *box = malloc(sizeof *box); // unknown: FH202
  __asm__ volatile("nop" : : "r"(box) : "memory");
  struct shelf *theirs = calloc(1, sizeof *theirs); // not-local
  struct shelf *mine = calloc(1, sizeof *mine);     // any
  int *held = calloc(1, sizeof *held);              // not-local
  box->address = (intptr_t)theirs;
  intptr_t distance = box->address - (intptr_t)mine;
  struct shelf *found = (struct shelf *)((char *)mine + distance);
  found->slot = held;
  on_thread(user, theirs);
  EXPECT(*held == 1);
  free(held);
  free(mine);
  free(theirs);
  free(box);
  return 0;
}
