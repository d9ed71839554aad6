// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

static void (*function)(void *);
static void *argument;
void later(void (*f)(void *), void *p);
void run_now(void);

static void *user(void *arg) {
  function(argument);
  return arg;
}
void later(void (*f)(void *), void *p) {
  function = f;
  argument = p;
}
void run_now(void) { on_thread(user, NULL); }
