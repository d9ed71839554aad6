// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-26: a static function with the name of a modelled one.
//
// flags: -fno-builtin-strspn
#include <stddef.h>
static int *kept;
static size_t strspn(const char *s, const char *set) {
  (void)set;
  kept = (int *)(void *)(char *)s;
  return 0;
}
#define strspn libc_strspn
#include "soundness.h"
#undef strspn

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  strspn((char *)block, "x");
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
