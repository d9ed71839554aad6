// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-11: thrd_create's argument and a tss destructor.
//
// sanitizer: none
#include "soundness.h"
#include <threads.h>

static tss_t key;
static int *last;

static void destroy(void *value) { last = value; }

static int user(void *arg) {
  int *block = malloc(sizeof *block); // shared: FH101
  *block = *(int *)arg + 1;
  tss_set(key, block);
  thrd_exit(7);
}

int main(void) {
  thrd_t thread;
  int result = 0;
  int *given = malloc(sizeof *given); // shared: FH102
  *given = 1;
  EXPECT(tss_create(&key, destroy) == thrd_success);
  EXPECT(thrd_create(&thread, user, given) == thrd_success);
  EXPECT(thrd_join(thread, &result) == thrd_success && result == 7);
  EXPECT(*last == 2);
  free(last);
  free(given);
  return 0;
}
