// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a socket's name: bind, getsockname.
#include "passed.h"
#include <sys/socket.h>
#include <sys/un.h>

static int one;

static int set(union word *w) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  memcpy(a.sun_path + 1, w, 6);
  memcpy(a.sun_path + 8, w, sizeof *w);
  one = socket(AF_UNIX, SOCK_DGRAM, 0);
  return bind(one, (struct sockaddr *)&a, sizeof a) == 0;
}

static void get(union word *w) {
  struct sockaddr_un a;
  socklen_t size = sizeof a;
  memcpy(a.sun_path + 8, w, sizeof *w);
  EXPECT(getsockname(one, (struct sockaddr *)&a, &size) == 0);
  memcpy(w, a.sun_path + 8, sizeof *w);
}
