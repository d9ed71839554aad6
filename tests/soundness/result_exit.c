// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-3: pthread_exit in a helper below the entry.
#include "soundness.h"

struct result {
  int *value;
};

static void leave(struct result *r) { pthread_exit(r); }

static void *maker(void *arg) {
  struct result *r = malloc(sizeof *r); // shared: FH103
  r->value = malloc(sizeof *r->value);  // shared: FH103
  *r->value = 42;
  leave(r);
  return NULL;
}

int main(void) {
  struct result *r = on_thread(maker, NULL);
  EXPECT(*r->value == 42);
  free(r->value);
  free(r);
  return 0;
}
