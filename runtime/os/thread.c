// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thread.c - the global lock, and life lines: how a later thread learns that an earlier one is truly gone.
//
// A key destructor cannot tell: a key made after ours is destroyed after ours, even in the fourth round. A robust mutex can: the
// kernel marks it after the thread ran its last instruction, and before the thread that joins it wakes up.
#include "os.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { Spins = 500 }; // some five microseconds

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
// Who holds Lock (the thread's id, the same in a forked child), and how often. Holder is read without the lock: only the
// holder itself can find its own value there.
static pthread_t Holder;
static unsigned Depth;

pid_t fhi_os_tid(void) { return (pid_t)syscall(SYS_gettid); }

uint32_t fhi_os_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

void fhi_os_yield(void) { sched_yield(); }

// Its holder will be done in a few microseconds, if it has a processor. Who sleeps meanwhile is woken for more than that, and
// keeps from others what its heap has in use until it runs again.
static void wait_for_lock(void) {
  for (unsigned i = 0; i < Spins; ++i) {
    if (__atomic_load_n(&Holder, __ATOMIC_RELAXED) == 0 && pthread_mutex_trylock(&Lock) == 0)
      return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  pthread_mutex_lock(&Lock);
}

void fhi_lock(void) {
  if (__atomic_load_n(&Holder, __ATOMIC_RELAXED) == pthread_self()) {
    ++Depth;
    return;
  }
  wait_for_lock();
  __atomic_store_n(&Holder, pthread_self(), __ATOMIC_RELAXED);
  Depth = 1;
}

void fhi_unlock(void) {
  if (--Depth != 0)
    return;
  __atomic_store_n(&Holder, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&Lock);
}

void fhi_lifeline_hold(fhi_lifeline_t *line) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  memset(line, 0, sizeof *line);
  pthread_mutex_init(line, &attributes);
  pthread_mutexattr_destroy(&attributes);
  // Nobody else has it yet. A plain lock would say the same, but would order it after the global lock for checkers of lock order.
  pthread_mutex_trylock(line);
}

#ifdef FH_TSAN
void __tsan_acquire(void *address);
static void hear_the_end(fhi_lifeline_t *line) { __tsan_acquire(line); }
#else
static void hear_the_end(fhi_lifeline_t *line) { (void)line; }
#endif

void fhi_lifeline_release(fhi_lifeline_t *line) { pthread_mutex_unlock(line); }

bool fhi_lifeline_broken(fhi_lifeline_t *line) {
  int got = pthread_mutex_trylock(line);
  if (got == EBUSY)
    return false;
  if (got == EOWNERDEAD)
    pthread_mutex_consistent(line);
  else if (got != 0)
    return false;
  hear_the_end(line);
  pthread_mutex_unlock(line);
  return true;
}
