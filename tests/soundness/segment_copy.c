// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-18: copies and atomic operations in memory of another address space.
#include "soundness.h"
#include <sys/syscall.h>
#include <unistd.h>

struct slot {
  int *pointer;
  long pad[7];
};
static struct slot area[2];

static void set_base(void) { EXPECT(syscall(SYS_arch_prctl, 0x1001, area) == 0); } /* ARCH_SET_GS */

static void *user(void *arg) {
  *area[0].pointer += 1;
  *area[1].pointer += 1;
  return arg;
}

int main(void) {
  set_base();
  struct slot s = {0};
  s.pointer = calloc(1, sizeof(int)); // not-local
  *(struct slot __seg_gs *)0 = s;
  int *second = calloc(1, sizeof(int)); // not-local
  __atomic_exchange_n((int *__seg_gs *)64, second, __ATOMIC_SEQ_CST);
  on_thread(user, NULL);
  EXPECT(*s.pointer == 1 && *second == 1);
  free(s.pointer);
  free(second);
  return 0;
}
