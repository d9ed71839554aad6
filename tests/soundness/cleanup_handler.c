// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-31: a clean-up handler runs on its own thread, on cancellation too, and may publish.
#include "soundness.h"
#include <unistd.h>

static int *left;

static void keep(void *arg) { left = arg; }
static void drop(void *arg) { free(arg); }

static void *user(void *arg) {
  int *kept = malloc(sizeof *kept); // shared: FH101
  int *mine = malloc(sizeof *mine); // local
  *kept = *mine = 8;
  pthread_cleanup_push(keep, kept);
  pthread_cleanup_push(drop, mine);
  for (;;)
    pause();
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void *result;
  EXPECT(pthread_create(&thread, NULL, user, NULL) == 0);
  usleep(1000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  if (left) {
    EXPECT(*left == 8);
    free(left);
  }
  return 0;
}
