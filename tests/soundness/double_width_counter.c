// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-16: a word of 128 bits whose low half counts and whose high half is a pointer: the sum moves only the counter.
#include "soundness.h"

struct box {
  long pad[2];
  int *pointer;
  long more[4];
};
static int *kept;

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

static __attribute__((noinline)) void count(const unsigned __int128 *from, unsigned __int128 *to) { *to = *from + 32; }

int main(void) {
  struct box b = {{0}};
  struct box *address = &b, *back;
  b.pointer = calloc(1, sizeof(int)); // not-local
  unsigned __int128 word = 0, next;
  memcpy((char *)&word + 8, &address, 8);
  count(&word, &next);
  memcpy(&back, (char *)&next + 8, 8);
  kept = back->pointer;
  on_thread(user, NULL);
  EXPECT(*b.pointer == 1);
  free(b.pointer);
  return 0;
}
