// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: --wrap of a modelled name; the wrapper publishes.
//
// flags: -fno-builtin-strlen
// steps: CC -c main.c; LINK main.o -Wl,--wrap=strlen
#include "../soundness.h"

size_t __wrap_strlen(const char *s);
static char *kept;

size_t __wrap_strlen(const char *s) {
  kept = (char *)(uintptr_t)s;
  return 4;
}

static void *user(void *arg) {
  kept[0] = 'T';
  return NULL;
}

int main(void) {
  char *text = strdup("text"); // not-local
  EXPECT(strlen(text) == 4);
  on_thread(user, NULL);
  EXPECT(text[0] == 'T');
  free(text);
  return 0;
}
