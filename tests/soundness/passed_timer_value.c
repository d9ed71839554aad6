// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a timer's value: timer_create, sigtimedwait.
#include "passed.h"
#include <signal.h>
#include <time.h>

static int set(union word *w) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value = {.sival_ptr = w->node}};
  struct itimerspec soon = {.it_value = {0, 1}};
  timer_t timer;
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, NULL);
  return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0;
}

static void get(union word *w) {
  static const struct timespec end = {30, 0};
  siginfo_t info;
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  info.si_value.sival_ptr = w->node;
  EXPECT(sigtimedwait(&wanted, &info, &end) == SIGUSR1);
  w->node = (struct node *)info.si_value.sival_ptr;
}
