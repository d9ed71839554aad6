// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// front.c - pthread_create and thrd_create in front of libc's: the kernel gives a new thread its creator's %gs, and with it the
// creator's globals. One that is made here begins without a base, so that an access before it is registered faults. In the
// libraries of modes gs and static (auto offers %gs to modules). Where no engine has %gs, or the creator's base is not ours,
// libc's functions see what they were given.
//
// Reached are calls that the linker or loader binds to these: all of the process where an executable has the archive, or a
// library that comes before libc; in a library that is dlopen'ed with the archive, its own. Not reached are bare clone calls,
// libc's own threads (but for those of timers and message queues, below), and what is bound to libc's functions already.
#include "globals.h"

// Engines in mode gs refer to it, so that an archive's file comes along though no object file of the program makes threads.
__attribute__((visibility("default"))) const char fh_globals_front = 1;

// Not with a glibc whose threads and dlsym are libraries of their own, which a program may do without.
#if FH_GLOBALS_HAS_GS && !(defined(__GLIBC__) && __GLIBC_MINOR__ < 34)
#include <dlfcn.h>
#include <errno.h>
#include <mqueue.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

// Protected: a dlopen'ed library's own calls are bound to it, which by the loader's order would go to libc's. Weak: a program
// that has its own in front of libc's goes on to link.
#define FRONT __attribute__((weak, visibility("protected")))

typedef int create_t(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument);

// What libc's is called: by a sanitizer; in a static executable, by glibc and musl; else the loader knows.
#define UNLESS_THERE __attribute__((weak))
extern create_t __interceptor_pthread_create UNLESS_THERE, __pthread_create UNLESS_THERE;
extern void *dlsym(void *restrict handle, const char *restrict name) UNLESS_THERE;
// A weak reference alone takes nothing out of a static libc: this one brings the file with it.
#ifdef __GLIBC__
static int (*const Brings)(timer_t) __attribute__((used)) = timer_delete;
#else
static void (*const Brings)(void *) __attribute__((used)) = pthread_exit;
#endif

static void *next(const char *name, void **known) {
  void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (found || !dlsym)
    return found;
  found = dlsym(RTLD_NEXT, name);
  if (!found)
    found = dlsym(RTLD_DEFAULT, name); // a library that was opened late: libc comes before it
  __atomic_store_n(known, found, __ATOMIC_RELAXED);
  return found;
}

static int libc_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
  static void *Known;
  if (__interceptor_pthread_create)
    return __interceptor_pthread_create(thread, attributes, entry, argument);
  if (__pthread_create)
    return __pthread_create(thread, attributes, entry, argument);
  create_t *create = (create_t *)next("pthread_create", &Known);
  return create ? create(thread, attributes, entry, argument) : ENOSYS;
}

// ---- threads ----

struct beginning {
  void *(*entry)(void *);
  void *argument;
  sigset_t mask;
  bool has_mask;
};
struct entry {
  void *(*entry)(void *);
  void *argument;
};

// Not in begin: nothing of this file is on the stack while the thread runs.
static FHI_NOINLINE struct entry prepare(struct beginning *given) {
  fhi_gs_leave_behind();
  struct entry entry = {given->entry, given->argument};
  if (given->has_mask)
    pthread_sigmask(SIG_SETMASK, &given->mask, NULL);
  free(given);
  return entry;
}

static void *begin(void *given) {
  struct entry entry = prepare(given);
  return entry.entry(entry.argument);
}

static bool has_own_mask(const pthread_attr_t *attributes) {
#ifdef __GLIBC__
  sigset_t mask;
  return attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0;
#else
  return (void)attributes, false;
#endif
}

FRONT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*entry)(void *),
                         void *restrict argument) {
  struct beginning *given = fhi_gs_would_be_inherited() ? malloc(sizeof *given) : NULL;
  if (!given)
    return fhi_gs_would_be_inherited() ? EAGAIN : libc_create(thread, attributes, entry, argument);
  *given = (struct beginning){.entry = entry, .argument = argument, .has_mask = !has_own_mask(attributes)};
  // No handler runs in the new thread before it has left the base behind.
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  given->mask = mask;
  int error = libc_create(thread, attributes, begin, given);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (error)
    free(given);
  return error;
}

// libc's own would not come by here. It is the same over pthread_create, as thrd_join takes the result for an int.
struct c11 {
  thrd_start_t entry;
  void *argument;
};

static void *begin_c11(void *given) {
  struct c11 c11 = *(struct c11 *)given;
  free(given);
  return (void *)(intptr_t)c11.entry(c11.argument);
}

FRONT int thrd_create(thrd_t *thread, thrd_start_t entry, void *argument) {
  struct c11 *given = malloc(sizeof *given);
  if (!given)
    return thrd_nomem;
  *given = (struct c11){entry, argument};
  int error = pthread_create((pthread_t *)thread, NULL, begin_c11, given);
  if (error)
    free(given);
#ifdef __GLIBC__
  return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
#else
  return error == 0 ? thrd_success : error == EAGAIN ? thrd_nomem : thrd_error;
#endif
}

// ---- threads that libc makes ----
// SIGEV_THREAD: the first such call makes a thread that makes the others, or makes them itself. They set their signal mask
// themselves, so that the caller's base can be set aside meanwhile. In the shared library only: in a static executable there
// would be no way on to libc's.
#if defined(FREEHOLD_GLOBALS_DSO) && defined(__GLIBC__)
struct aside {
  uintptr_t base; // 0: nothing was set aside
  sigset_t mask;
};

static void set_aside(struct aside *aside, const struct sigevent *event) {
  aside->base = 0;
  if (!event || event->sigev_notify != SIGEV_THREAD || !fhi_gs_would_be_inherited())
    return;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &aside->mask);
  aside->base = fhi_gs_read();
  fhi_gs_leave_behind();
}

static int take_back(const struct aside *aside, int result) {
  int saved = errno;
  if (aside->base) {
    fhi_gs_write(aside->base);
    pthread_sigmask(SIG_SETMASK, &aside->mask, NULL);
  }
  errno = saved;
  return result;
}

static int missing(void) {
  errno = ENOSYS;
  return -1;
}

FRONT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer) {
  static void *Known;
  int (*create)(clockid_t, struct sigevent *, timer_t *) =
      (int (*)(clockid_t, struct sigevent *, timer_t *))next("timer_create", &Known);
  struct aside aside;
  set_aside(&aside, event);
  return take_back(&aside, create ? create(clock, event, timer) : missing());
}

FRONT int mq_notify(mqd_t queue, const struct sigevent *event) {
  static void *Known;
  int (*notify)(mqd_t, const struct sigevent *) = (int (*)(mqd_t, const struct sigevent *))next("mq_notify", &Known);
  struct aside aside;
  set_aside(&aside, event);
  return take_back(&aside, notify ? notify(queue, event) : missing());
}
#endif
#endif
