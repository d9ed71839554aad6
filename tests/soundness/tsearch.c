// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: a tree of libc's holds the keys.
#include "soundness.h"
#include <search.h>

static void *root;

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *finder(void *arg) {
  int key = 2;
  int **node = tfind(&key, &root, compare);
  EXPECT(node && **node == 2);
  **node = 2;
  return NULL;
}

int main(void) {
  int *keys[3];
  for (int i = 0; i < 3; i++) {
    keys[i] = malloc(sizeof(int)); // not-local
    *keys[i] = i + 1;
    tsearch(keys[i], &root, compare);
  }
  on_thread(finder, NULL);
  tdestroy(root, free);
  return 0;
}
