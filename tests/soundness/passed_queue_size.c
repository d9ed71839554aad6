// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a message queue: msgctl.
#include "passed.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static int id;

static int set(union word *w) {
  struct msqid_ds s;
  id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  if (id < 0 || msgctl(id, IPC_STAT, &s) != 0)
    return 0;
  s.msg_qbytes = w->number;
  return msgctl(id, IPC_SET, &s) == 0;
}

static void get(union word *w) {
  struct msqid_ds s = {.msg_qbytes = w->number};
  EXPECT(msgctl(id, IPC_STAT, &s) == 0 && msgctl(id, IPC_RMID, NULL) == 0);
  w->number = s.msg_qbytes;
}
