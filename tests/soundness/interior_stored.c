// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-36: strtol's end, strsep's rest, strtok_r's place are stored for the caller.
#include "soundness.h"

static char *kept[3];

static void *user(void *arg) {
  for (int i = 0; i < 3; i++)
    kept[i][0] = '!';
  return NULL;
}

int main(void) {
  char *a = strdup("12ab");       // shared: FH101
  char *b = strdup("one two");    // shared: FH101
  char *c = strdup("one two");    // shared: FH101
  char *d = strdup("34cd"), *own; // local
  char *rest = b;
  EXPECT(strtol(a, &kept[0], 10) == 12);
  EXPECT(strcmp(strsep(&rest, " "), "one") == 0);
  kept[1] = rest;
  strtok_r(c, " ", &kept[2]);
  EXPECT(strtol(d, &own, 10) == 34 && own == d + 2);
  on_thread(user, NULL);
  EXPECT(a[2] == '!' && b[4] == '!' && c[4] == '!');
  free(a);
  free(b);
  free(c);
  free(d);
  return 0;
}
