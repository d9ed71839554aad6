// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-27: what is stored through a pointer that came back from text is shared too.
#include "soundness.h"
#include <stdio.h>

static char text[64];
struct node {
  int *value;
};

static void *reader(void *arg) {
  struct node *n = (struct node *)strtoul(text, NULL, 10);
  *n->value += 1;
  return NULL;
}

int main(void) {
  struct node *n = calloc(1, sizeof *n); // not-local
  sprintf(text, "%lu", (unsigned long)n);
  struct node *same = (struct node *)strtoul(text, NULL, 10);
  same->value = calloc(1, sizeof(int)); // not-local
  on_thread(reader, NULL);
  EXPECT(*n->value == 1);
  free(n->value);
  free(n);
  return 0;
}
