// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-24: a handler, run by the thread it interrupts, touches main's block.
#include "soundness.h"
#include <signal.h>

static int *volatile target;

static void handler(int number) { *target += number; }

static void *user(void *arg) {
  pthread_kill(pthread_self(), SIGUSR2);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  target = calloc(1, sizeof(int)); // shared: FH101
  sigaction(SIGUSR2, &action, NULL);
  on_thread(user, NULL);
  EXPECT(*target == SIGUSR2);
  free(target);
  return 0;
}
