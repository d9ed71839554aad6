// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two weak functions that give a block to a thread, and the names that they keep.
#include "../soundness.h"

static _Thread_local int *held;

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

void hold(int *p);
void hold(int *p) { held = p; }

__attribute__((weak, noinline)) void run(void) { on_thread(user, held); }
void also_run(void) __attribute__((alias("run")));

__attribute__((weak, noinline)) void run_too(void) { on_thread(user, held); }
void also_run_too(void) __attribute__((alias("run_too")));
