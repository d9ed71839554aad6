// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-26: a pointer inside a message sent with an I/O vector.
#include "soundness.h"
#include <sys/socket.h>
#include <sys/uio.h>

struct message {
  int kind;
  int *block;
};
static int ends[2];

static void *reader(void *arg) {
  struct message m;
  EXPECT(recv(ends[0], &m, sizeof m, 0) == sizeof m);
  *m.block += m.kind;
  return NULL;
}

int main(void) {
  struct message m = {3, calloc(1, sizeof(int))}; // not-local
  struct iovec part = {&m, sizeof m};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  EXPECT(sendmsg(ends[1], &header, 0) == sizeof m);
  on_thread(reader, NULL);
  EXPECT(*m.block == 3);
  free(m.block);
  return 0;
}
