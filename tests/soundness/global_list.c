// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-5, 4a-20: a list behind a variable, found by walking it.
#include "soundness.h"

struct node {
  struct node *next;
  char *name;
};
static struct node *list;

static void push(const char *name) {
  struct node *n = malloc(sizeof *n); // shared: FH101
  n->name = strdup(name);             // shared: FH101
  n->next = list;
  list = n;
}

static void *user(void *arg) {
  while (list) {
    struct node *next = list->next;
    EXPECT(strlen(list->name) == 3);
    free(list->name);
    free(list);
    list = next;
  }
  return NULL;
}

int main(void) {
  push("one");
  push("two");
  on_thread(user, NULL);
  return 0;
}
