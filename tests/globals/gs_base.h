// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gs_base.h - the calling thread's %gs, as the kernel sees it and as another library sets it.
#ifndef TESTS_GLOBALS_GS_BASE_H
#define TESTS_GLOBALS_GS_BASE_H

#include "../runtime/check.h"

#include <sys/syscall.h>

static inline void *gs_base(void) {
  void *now = &now;
  CHECK(syscall(SYS_arch_prctl, 0x1004, &now) == 0);
  return now;
}

static inline void set_gs(void *base) { CHECK(syscall(SYS_arch_prctl, 0x1001, base) == 0); }

#endif
