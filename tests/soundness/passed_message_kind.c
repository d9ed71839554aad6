// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a message's type: msgsnd, msgrcv.
#include "passed.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static int id;

static int set(union word *w) {
  id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  return id >= 0 && msgsnd(id, w, 0, 0) == 0;
}

static void get(union word *w) { EXPECT(msgrcv(id, w, 0, 0, 0) == 0 && msgctl(id, IPC_RMID, NULL) == 0); }
