// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-22: SIGEV_THREAD runs a function of ours on a thread of libc's.
//
// sanitizer: none
// link: -lrt
#include "soundness.h"
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t done;

static void notify(union sigval payload) {
  int *block = payload.sival_ptr;
  *block += 1;
  sem_post(&done);
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  struct sigevent event;
  struct itimerspec when = {{0, 0}, {0, 1000000}};
  timer_t timer;
  sem_init(&done, 0, 0);
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = notify;
  event.sigev_value.sival_ptr = block;
  EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  EXPECT(timer_settime(timer, 0, &when, NULL) == 0);
  sem_wait(&done);
  EXPECT(*block == 1);
  timer_delete(timer);
  free(block);
  return 0;
}
