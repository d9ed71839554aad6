// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// serial.c - TSRM's constructors, destructors and handlers run one at a time. PHP's change what all threads share, such as the
// reference counts of classes, without atomics: its own resource manager calls them under a lock. What is freehold/globals.h's
// alone runs none of it.
//
// Who is inside waits for nothing of the engine's: calls back into the registry leave for as long as they take (fhi_serial_drop).
// So whoever waits here may hold the turn and pins.
#include "globals.h"

static struct fhi_monitor Monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_t Owner;
static int Depth; // of the owner's calls; 0: nobody is inside

static bool mine(void) { return Depth != 0 && pthread_equal(Owner, pthread_self()); }

static void enter(int depth) {
  fhi_monitor_enter(&Monitor);
  while (Depth != 0 && !mine())
    fhi_monitor_wait(&Monitor);
  Owner = pthread_self();
  Depth += depth;
  fhi_monitor_leave(&Monitor);
}

static void leave(int depth) {
  fhi_monitor_enter(&Monitor);
  Depth -= depth;
  fhi_monitor_changed(&Monitor);
  fhi_monitor_leave(&Monitor);
}

void fhi_serial_enter(void) { enter(1); }
void fhi_serial_leave(void) { leave(1); }

int fhi_serial_drop(void) {
  fhi_monitor_enter(&Monitor);
  int depth = mine() ? Depth : 0;
  fhi_monitor_leave(&Monitor);
  if (depth)
    leave(depth);
  return depth;
}

void fhi_serial_again(int depth) {
  if (depth)
    enter(depth);
}

void fhi_serial_before_fork(void) { fhi_monitor_enter(&Monitor); }
void fhi_serial_in_parent(void) { fhi_monitor_leave(&Monitor); }

// A constructor that was under way in another thread will not end here.
void fhi_serial_in_child(void) {
  fhi_monitor_renew(&Monitor);
  if (!mine())
    Depth = 0;
}
