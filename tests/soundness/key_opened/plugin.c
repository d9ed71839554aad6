// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code outside the analysis.
#include "../soundness.h"

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

__attribute__((constructor)) static void start(void) { on_thread(user, pthread_getspecific(atoi(getenv("SOUNDNESS_KEY")))); }
