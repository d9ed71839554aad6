// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-9: an unaligned pointer in a packed struct.
#include "soundness.h"

struct __attribute__((packed)) entry {
  char kind;
  int *a;
  short gap;
  int *b;
};
static struct entry entries[3];

static void *user(void *arg) {
  for (int i = 0; i < 3; i++)
    *entries[i].a += *entries[i].b;
  return NULL;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    entries[i].a = calloc(1, sizeof(int)); // shared: FH101
    entries[i].b = malloc(sizeof(int));    // shared: FH101
    *entries[i].b = i;
  }
  on_thread(user, NULL);
  EXPECT(*entries[2].a == 2);
  for (int i = 0; i < 3; i++) {
    free(entries[i].a);
    free(entries[i].b);
  }
  return 0;
}
