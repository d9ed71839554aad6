// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-34: memmove, mempcpy, bcopy and lsearch move words.
#include "soundness.h"
#include <search.h>
#include <strings.h>

static int *kept[5];

static int compare(const void *x, const void *y) { return *(int *const *)x != *(int *const *)y; }

static void *user(void *arg) {
  for (int i = 0; i < 5; i++)
    *kept[i] += 1;
  return NULL;
}

int main(void) {
  void *(*volatile move)(void *, const void *, size_t) = memmove;
  int *blocks[5];
  for (int i = 0; i < 5; i++)
    blocks[i] = calloc(1, sizeof(int)); // shared: FH101
  size_t n = 4;
  move(&kept[0], &blocks[0], sizeof(int *));
  EXPECT(mempcpy(&kept[1], &blocks[1], sizeof(int *)) == &kept[2]);
  bcopy(&blocks[2], &kept[2], sizeof(int *));
  mempcpy(&kept[3], &blocks[3], sizeof(int *));
  lsearch(&blocks[4], kept, &n, sizeof(int *), compare);
  on_thread(user, NULL);
  for (int i = 0; i < 5; i++) {
    EXPECT(*blocks[i] == 1);
    free(blocks[i]);
  }
  return 0;
}
