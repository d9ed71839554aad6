// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address written through a shared segment: shmat.
#include "passed.h"
#include <sys/ipc.h>
#include <sys/shm.h>

static int id;

static int set(union word *w) {
  id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  void *segment = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
  if (segment == (void *)-1)
    return 0;
  memcpy(segment, w, sizeof *w);
  return shmdt(segment) == 0;
}

static void get(union word *w) {
  void *segment = shmat(id, NULL, 0);
  EXPECT(segment != (void *)-1);
  memcpy(w, segment, sizeof *w);
  EXPECT(shmdt(segment) == 0 && shmctl(id, IPC_RMID, NULL) == 0);
}
