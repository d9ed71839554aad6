// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the value of a queue's notice: mq_notify, sigwaitinfo.
#include "passed.h"
#include <mqueue.h>
#include <signal.h>

static mqd_t queue;

static int set(union word *w) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof *w};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value = {.sival_ptr = w->node}};
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, NULL);
  queue = mq_open("/freehold-notice", O_RDWR | O_CREAT, 0600, &attributes);
  return queue != (mqd_t)-1 && mq_unlink("/freehold-notice") == 0 && mq_notify(queue, &event) == 0;
}

static void get(union word *w) {
  siginfo_t info;
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  info.si_value.sival_ptr = w->node;
  EXPECT(mq_send(queue, "", 1, 0) == 0 && sigwaitinfo(&wanted, &info) == SIGUSR1);
  w->node = (struct node *)info.si_value.sival_ptr;
}
