// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-11: a link in the middle leads back to its container.
#include "soundness.h"
#include <stddef.h>

struct link {
  struct link *next;
};
struct item {
  int *payload;
  long pad[3];
  struct link link;
};
static struct link *head;

static void *user(void *arg) {
  for (struct link *l = head; l; l = l->next) {
    struct item *item = (struct item *)((char *)l - offsetof(struct item, link));
    *item->payload += 1;
  }
  return NULL;
}

int main(void) {
  struct item *items[2];
  for (int i = 0; i < 2; i++) {
    items[i] = malloc(sizeof *items[i]);        // shared: FH101
    items[i]->payload = calloc(1, sizeof(int)); // shared: FH101
    items[i]->link.next = head;
    head = &items[i]->link;
  }
  on_thread(user, NULL);
  for (int i = 0; i < 2; i++) {
    EXPECT(*items[i]->payload == 1);
    free(items[i]->payload);
    free(items[i]);
  }
  return 0;
}
