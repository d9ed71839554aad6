// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-23: a queued signal carries a pointer to a thread that waits for it.
#include "soundness.h"
#include <signal.h>
#include <unistd.h>

static void *waiter(void *arg) {
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  EXPECT(sigwaitinfo(&set, &info) == SIGUSR1);
  int *block = info.si_value.sival_ptr;
  *block += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH104
  sigset_t set;
  pthread_t thread;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  EXPECT(pthread_create(&thread, NULL, waiter, NULL) == 0);
  union sigval value = {.sival_ptr = block};
  EXPECT(sigqueue(getpid(), SIGUSR1, value) == 0);
  pthread_join(thread, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
