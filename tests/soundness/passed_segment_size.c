// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a segment of shared memory: shmget, shmctl.
#include "passed.h"
#include <sys/ipc.h>
#include <sys/shm.h>

static int id;

static int set(union word *w) {
  id = shmget(IPC_PRIVATE, w->number, IPC_CREAT | SHM_NORESERVE | 0600);
  return id >= 0;
}

static void get(union word *w) {
  struct shmid_ds s = {.shm_segsz = w->number};
  EXPECT(shmctl(id, IPC_STAT, &s) == 0 && shmctl(id, IPC_RMID, NULL) == 0);
  w->number = s.shm_segsz;
}
