// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two names of the C library with another meaning.
#include "../soundness.h"

static char *kept, *argument;
static void *user(void *arg) {
  kept[0] += 1;
  argument[0] += 1;
  return arg;
}
char *strdup(const char *text) {
  kept = malloc(strlen(text) + 1);
  return strcpy(kept, text);
}
char *strndup(const char *text, size_t size) { return argument = (char *)text + size - 1; }
void use_kept(void);
void use_kept(void) { on_thread(user, NULL); }
