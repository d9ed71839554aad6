// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3: pointers in bit-fields of 48 and 61 bits, beside tags, in one word and in structures passed by value.
#include "soundness.h"

struct cell {
  int *pointer;
};
struct tagged {
  uint64_t tag : 3, address : 61;
};
struct packed {
  uint64_t address : 48, count : 16;
};
static struct cell kept[2];

static void *user(void *arg) {
  *kept[0].pointer += 1;
  *kept[1].pointer += 1;
  return arg;
}

static __attribute__((noinline)) struct tagged tag(void *p) { return (struct tagged){5, (uintptr_t)p >> 3}; }
static __attribute__((noinline)) struct packed pack(void *p) { return (struct packed){(uintptr_t)p, 7}; }

int main(void) {
  struct cell own;
  struct tagged t = tag(&kept[0]), mine = tag(&own);
  struct packed p = pack(&kept[1]), also = pack(&own);
  int *first = calloc(1, sizeof(int));  // not-local
  int *second = calloc(1, sizeof(int)); // not-local
  ((struct cell *)(uintptr_t)(mine.address << 3))->pointer = NULL;
  ((struct cell *)(uintptr_t)also.address)->pointer = NULL;
  ((struct cell *)(uintptr_t)(t.address << 3))->pointer = first;
  p.count++;
  ((struct cell *)(uintptr_t)p.address)->pointer = second;
  on_thread(user, NULL);
  EXPECT(*first == 1 && *second == 1);
  free(first);
  free(second);
  return 0;
}
