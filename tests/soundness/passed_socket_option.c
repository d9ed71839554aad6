// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a socket's time limit in seconds: setsockopt, getsockopt.
#include "passed.h"
#include <sys/socket.h>
#include <sys/time.h>

static int one;

static int set(union word *w) {
  struct timeval limit = {w->number, 0};
  one = socket(AF_UNIX, SOCK_DGRAM, 0);
  return setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
}

static void get(union word *w) {
  struct timeval limit = {w->number, 0};
  socklen_t size = sizeof limit;
  EXPECT(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &limit, &size) == 0);
  w->number = limit.tv_sec;
}
