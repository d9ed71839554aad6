// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that only the loader calls: the linker was told their names, or found them in a section.
//
// steps: CC -c main.c; LINK main.o -Wl,-init,first -Wl,-fini,last
#include "../soundness.h"

static int *kept, *offered;
static void drop(int *block) { (void)block; }
static void offer(int *block) { offered = block; }
static void (*hook)(int *) = drop;

static void *user(void *arg) {
  *kept += 1;
  if (offered)
    *offered += 1;
  return arg;
}

void first(void) {
  kept = calloc(1, sizeof(int)); // not-local
}
void last(void) { free(kept); }
static void second(void) { hook = offer; }
__attribute__((section(".init_array"))) void (*in_section)(void) = second;

int main(void) {
  int *block = calloc(1, sizeof(int)); // not-local
  hook(block);
  on_thread(user, NULL);
  EXPECT(*kept == 1);
  free(block);
  return 0;
}
