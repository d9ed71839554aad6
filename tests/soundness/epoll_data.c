// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-25: epoll gives its data to whichever thread waits.
#include "soundness.h"
#include <sys/epoll.h>
#include <unistd.h>

static int poller;

static void *waiter(void *arg) {
  struct epoll_event event;
  EXPECT(epoll_wait(poller, &event, 1, -1) == 1);
  int *block = event.data.ptr;
  *block += 1;
  return NULL;
}

int main(void) {
  int ends[2];
  int *block = calloc(1, sizeof *block); // not-local
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = block};
  EXPECT(pipe(ends) == 0);
  poller = epoll_create1(0);
  EXPECT(epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event) == 0);
  EXPECT(write(ends[1], "x", 1) == 1);
  on_thread(waiter, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
