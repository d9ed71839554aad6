// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions and the variable that the aliases stand for are named by nothing else.
#include "../soundness.h"

static _Thread_local int *held; // no root by itself: only `run` shows the block to another thread
int *real_name;
extern int *other_name __attribute__((alias("real_name")));

static void *user(void *arg) {
  *(int *)arg += 1;
  *real_name += 1;
  return NULL;
}

void hold(int *p);
void hold(int *p) { held = p; }

__attribute__((noinline)) void run(void);
void run(void) { on_thread(user, held); }
void also_run(void) __attribute__((alias("run")));

static __attribute__((noinline)) int *keep_it(int *p) { return p; }
int *keep(int *p) __attribute__((alias("keep_it")));
