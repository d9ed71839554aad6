// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: optarg leads into the arguments.
#include "soundness.h"
#include <unistd.h>

static void *user(void *arg) {
  EXPECT(optarg && optarg[0] == 'v');
  optarg[0] = 'w';
  return NULL;
}

int main(void) {
  char *value = strdup("-avalue"); // not-local
  char *args[] = {"program", value, NULL};
  EXPECT(getopt(2, args, "a:") == 'a');
  on_thread(user, NULL);
  EXPECT(value[2] == 'w');
  free(value);
  return 0;
}
