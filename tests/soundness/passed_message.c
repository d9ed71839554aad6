// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a message: mq_send, mq_receive.
#include "passed.h"
#include <mqueue.h>

static mqd_t queue;

static int set(union word *w) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof *w};
  queue = mq_open("/freehold-message", O_RDWR | O_CREAT, 0600, &attributes);
  return queue != (mqd_t)-1 && mq_unlink("/freehold-message") == 0 && mq_send(queue, w->text, sizeof *w, 0) == 0;
}

static void get(union word *w) { EXPECT(mq_receive(queue, w->text, sizeof *w, NULL) == sizeof *w); }
