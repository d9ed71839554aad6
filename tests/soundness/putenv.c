// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: the environment keeps the string.
#include "soundness.h"

static void *reader(void *arg) {
  char *value = getenv("FREEHOLD_TEST_KEPT");
  EXPECT(value && value[0] == 'y');
  value[0] = 'n';
  return NULL;
}

int main(void) {
  char *entry = strdup("FREEHOLD_TEST_KEPT=yes"); // shared: FH302
  putenv(entry);
  on_thread(reader, NULL);
  EXPECT(strcmp(entry, "FREEHOLD_TEST_KEPT=nes") == 0);
  return 0;
}
