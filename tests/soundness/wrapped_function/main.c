// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: --wrap sends calls to a function that publishes.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o -Wl,--wrap=take
#include "../soundness.h"

void take(int *p);
static int *kept;
void __wrap_take(int *p);
void __wrap_take(int *p) { kept = p; }

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  take(block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
