// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-1: the argument of a thread, its fields, interior pointers.
#include "soundness.h"

struct part {
  int value;
};
struct whole {
  long head;
  struct part inside;
  struct part *apart;
};

static void *reader(void *arg) {
  struct part *inside = arg;
  struct whole *w = (struct whole *)((char *)inside - offsetof(struct whole, inside));
  EXPECT(inside->value == 1 && w->apart->value == 2);
  w->apart->value = 3;
  free(w->apart);
  return NULL;
}

int main(void) {
  struct whole *w = malloc(sizeof *w);       // shared: FH102
  w->apart = malloc(sizeof *w->apart);       // shared: FH102
  struct whole *mine = malloc(sizeof *mine); // local
  mine->apart = malloc(sizeof *mine->apart); // local
  w->inside.value = mine->inside.value = 1;
  w->apart->value = mine->apart->value = 2;
  on_thread(reader, &w->inside);
  EXPECT(mine->apart->value == 2);
  free(mine->apart);
  free(mine);
  free(w);
  return 0;
}
