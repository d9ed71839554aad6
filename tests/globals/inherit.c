// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inherit.c [libc] - a thread that never registered does not begin with its maker's %gs, however it is made; and what it is made
// with is kept: argument, result, attributes, signal mask, errors, cancellation. libc: threads that libc makes, too. Mode gs; as
// an executable, and as an engine that is dlopen'ed.
#include "engine.h"

#include "gs_base.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <threads.h>
#include <time.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static void *tells_base(void *unused) {
  (void)unused;
  return gs_base();
}
static void *base_of_new(void) {
  pthread_t thread;
  void *found;
  CHECK(pthread_create(&thread, NULL, tells_base, NULL) == 0 && pthread_join(thread, &found) == 0);
  return found;
}

// ---- what a thread is made with ----

static void *twice(void *argument) {
  CHECK(gs_base() == NULL && fh_globals_self(ENGINE) == NULL);
  return (char *)argument + (intptr_t)argument;
}
static int less(void *argument) {
  CHECK(gs_base() == NULL);
  return -*(int *)argument;
}

static bool blocks(int signal) {
  sigset_t now;
  return pthread_sigmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, signal);
}
static void *with_mask(void *usr2_too) {
  CHECK(blocks(SIGUSR1) && !blocks(SIGTERM) && blocks(SIGUSR2) == (usr2_too != NULL));
  return NULL;
}
static void masks(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK(pthread_sigmask(SIG_SETMASK, &set, &old) == 0);
  in_thread(with_mask, NULL);
  CHECK(blocks(SIGUSR1) && !blocks(SIGTERM) && !blocks(SIGUSR2));
#ifdef __GLIBC__
  pthread_attr_t attributes;
  pthread_t thread;
  sigaddset(&set, SIGUSR2);
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setsigmask_np(&attributes, &set) == 0);
  CHECK(pthread_create(&thread, &attributes, with_mask, &set) == 0 && pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
#endif
  CHECK(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
}

static char Stack[256 * 1024] __attribute__((aligned(4096)));
static void *on_that_stack(void *unused) {
  char here;
  CHECK(&here > Stack && &here < Stack + sizeof Stack && gs_base() == NULL);
  return unused;
}
static void attributes(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, Stack, sizeof Stack) == 0);
  CHECK(pthread_create(&thread, &attributes, on_that_stack, NULL) == 0 && pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  // An error is passed on, and the maker is as it was.
  fh_globals_block_t *own = fh_globals_self(ENGINE);
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, (size_t)1 << 46) == 0);
  for (int i = 0; i < 100; ++i)
    CHECK(pthread_create(&thread, &attributes, twice, NULL) == EAGAIN);
  pthread_attr_destroy(&attributes);
  CHECK(fh_globals_self(ENGINE) == own && gs_base() == own && !blocks(SIGTERM));
}

static void *waits(void *unused) {
  for (;;)
    pause();
  return unused;
}
static void cancelled(void) {
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, waits, NULL) == 0 && pthread_cancel(thread) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  }
}

static void made(void) {
  fh_globals_block_t *own = fh_globals_thread_init(ENGINE);
  CHECK(own && gs_base() == own);
  EG(depth) = 7;
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, twice, (void *)21) == 0 && pthread_join(thread, &result) == 0 && (intptr_t)result == 42);
  thrd_t c11;
  int value = 21, code;
  CHECK(thrd_create(&c11, less, &value) == thrd_success && thrd_join(c11, &code) == thrd_success && code == -21);
  masks();
  attributes();
  cancelled();
  CHECK(gs_base() == own && EG(depth) == 7);
}

// ---- the globals of a thread that has ended, by a base that was inherited by a way that nobody reaches ----

static void *makes_block(void *unused) {
  (void)unused;
  return fh_globals_thread_init(ENGINE);
}
static void *uses(void *base) {
  set_gs(base);
  EG(depth) = 1;
  _exit(0);
}
static void ended(void) {
  pthread_t thread;
  void *block;
  CHECK(pthread_create(&thread, NULL, makes_block, NULL) == 0 && pthread_join(thread, &block) == 0);
  pid_t child = fork();
  if (child == 0)
    in_thread(uses, block);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

// ---- libc's threads ----

static int Told;
static void *Found;
static void notified(union sigval value) {
  CHECK(value.sival_int == 42);
  Found = gs_base();
  __atomic_store_n(&Told, 1, __ATOMIC_RELEASE);
}
static void *told(void) {
  while (!__atomic_exchange_n(&Told, 0, __ATOMIC_ACQUIRE))
    usleep(100);
  return Found;
}
static void libc_makes(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified, .sigev_value = {.sival_int = 42}};
  timer_t timer;
  struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  CHECK(told() == NULL && timer_delete(timer) == 0);
  CHECK(timer_create((clockid_t)1000, &event, &timer) == -1 && errno == EINVAL); // errors are passed on
  char name[64];
  snprintf(name, sizeof name, "/freehold-%d", getpid());
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 1};
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &size);
  if (queue == (mqd_t)-1)
    return; // a kernel without them
  mq_unlink(name);
  CHECK(mq_notify(queue, &event) == 0 && mq_send(queue, "", 1, 0) == 0 && told() == NULL);
  mq_close(queue);
  CHECK(gs_base() == fh_globals_self(ENGINE) && !blocks(SIGTERM));
}

// ---- who has nothing to do with it ----

static char Others[128] __attribute__((aligned(64)));
static void left_alone(void) {
  set_gs(Others);
  CHECK(base_of_new() == Others); // as the kernel has it
  set_gs(NULL);
}

int main(int argc, char **argv) {
  left_alone();
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL) == 1);
  made();
  in_thread((void *(*)(void *))(uintptr_t)made, NULL);
  ended();
  void *own = gs_base();
  set_gs(Others);
  CHECK(base_of_new() == Others); // it is another library's, which may count on it
  set_gs(own);
  if (argc > 1)
    libc_makes();
  CHECK(fh_globals_shutdown(ENGINE) == 0);
  left_alone();
  return 0;
}
