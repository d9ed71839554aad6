// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the text of a message: msgsnd, msgrcv.
#include "passed.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static int id;

static int set(union word *w) {
  struct {
    long kind;
    union word word;
  } message = {1, *w};
  id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  return id >= 0 && msgsnd(id, &message, sizeof *w, 0) == 0;
}

static void get(union word *w) {
  struct {
    long kind;
    union word word;
  } message = {1, *w};
  EXPECT(msgrcv(id, &message, sizeof *w, 0, 0) == sizeof *w && msgctl(id, IPC_RMID, NULL) == 0);
  *w = message.word;
}
