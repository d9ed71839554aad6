// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-1: malloc followed by memset, and realloc of null, may become other calls.
#include "soundness.h"

static void *user(void *arg) {
  long *p = arg;
  p[3] += 1;
  free(p);
  return NULL;
}

int main(void) {
  long *a = malloc(64); // shared: FH102
  memset(a, 0, 64);
  long *b = malloc(64); // local
  memset(b, 0, 64);
  long *c = realloc(NULL, 64); // local
  c[3] = b[3];
  char *d = strndup("text", 1000); // local
  EXPECT(strcmp(d, "text") == 0);
  on_thread(user, a);
  EXPECT(b[3] == 0 && c[3] == 0);
  free(b);
  free(c);
  free(d);
  return 0;
}
