// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ends.c [--threads N] [--seed S] [--loop N]: so many threads end, in every way that there is.
//
// They are joined, detached at once or later, on stacks of libc's that are used again and again, of sizes that make its cache
// throw others out, and on stacks of the program's. They return, call pthread_exit, are cancelled, or vanish by a bare system
// call; some do nothing at all, some allocate, some only free what others made, some go on with both in key destructors of
// every round, before and after ours, some leave buffers to the C library. They are made by threads that end as well, in waves;
// where blocks are the process's malloc's, libc frees the vectors of the stacks it drops in the middle of that, and under
// AddressSanitizer a hook frees in its place. Now and then one forks: the child ends threads too, and then by pthread_exit in
// its only thread. Every block carries a pattern, which is checked when it is freed; main's own stay and are looked at.
//
// --loop: instead, so often a thread that is joined makes a few detached ones, which only sleep. Nothing of it allocates, so the
// only frees are those that libc makes behind the destructors.
#include "stress.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#ifdef STRESS_PROCESS
enum { LAST_ROUND = 4 };
#endif

enum {
  Makers = 3,
  Waves = 6,
  WaveMost = 12,
  Slots = 256,
  Kept = 40,
  OwnStack = 256 << 10,
  GivenStacks = 100, // stacks of the program's that detached threads have: never used again, as nobody says when they could be
  ForkOneIn = 1500,
  AlarmSeconds = 60,
};

// A shared block on its way to another thread; the pattern follows the header.
struct parcel {
  size_t size;
  uint64_t seed;
  unsigned char bytes[];
};
enum way { Returns, Exits, IsCancelled, Vanishes, Ways };
enum fate { Joined, Detached, DetachedLater, DetachesItself, Fates };
struct plan {
  uint64_t random;
  enum way way;
  bool idle, frees, allocates, leaves_buffers;
  unsigned rounds; // of key destructors
  _Atomic(int) *left;
};
struct armed {
  pthread_key_t *key;
  unsigned left;
  uint64_t random;
};

static _Atomic(struct parcel *) Exchange[Slots];
static pthread_key_t Before, After;
static uint64_t Seed;
static _Atomic(unsigned long) Started, Vanished, Cancelled, Forks, Hooked;
static _Atomic(int) StacksLeft = GivenStacks;
static bool IsChild;

static void check_parcel(struct parcel *parcel) {
  size_t offset = over(parcel->bytes, parcel->size, parcel->size, parcel->seed, compare_word);
  if (offset == parcel->size)
    return;
  fprintf(stderr, "ends: block %p of %zu bytes is broken at offset %zu; --seed %llu, after %lu threads%s\n", (void *)parcel,
          parcel->size, offset, (unsigned long long)Seed, atomic_load(&Started), IsChild ? ", in a forked child" : "");
  _exit(1);
}

static struct parcel *parcel_new(uint64_t *random, int kind) {
  size_t size = one_in(random, 20) ? next(random) % 20000 : next(random) % 400;
  struct parcel *parcel = Families[kind].malloc(sizeof *parcel + size);
  CHECK(parcel);
  parcel->size = size;
  parcel->seed = next(random);
  fill_pattern(parcel->bytes, size, parcel->seed);
  return parcel;
}

static void parcel_free(struct parcel *parcel, int kind) {
  if (!parcel)
    return;
  check_parcel(parcel);
  Families[kind].free(parcel);
}

static void put(uint64_t *random, struct parcel *parcel) {
  parcel_free(atomic_exchange(&Exchange[next(random) % Slots], parcel), SHARED);
}

static void allocate(uint64_t *random) {
  struct parcel *local[20];
  unsigned count = 1 + next(random) % 20;
  for (unsigned i = 0; i < count; ++i) {
    local[i] = parcel_new(random, LOCAL);
    put(random, parcel_new(random, SHARED));
  }
  for (unsigned i = 0; i < count; ++i)
    parcel_free(local[i], LOCAL);
}

static void free_others(uint64_t *random) {
  for (unsigned i = 0, count = 1 + next(random) % 60; i < count; ++i)
    put(random, NULL);
}

static void arm(pthread_key_t *key, unsigned rounds, uint64_t *random) {
  struct armed *armed = Families[SHARED].malloc(sizeof *armed);
  CHECK(armed);
  *armed = (struct armed){key, rounds - 1, next(random)};
  pthread_setspecific(*key, armed);
}

static void at_end(void *value) {
  struct armed armed = *(struct armed *)value;
  Families[SHARED].free(value);
  if (one_in(&armed.random, 2))
    free_others(&armed.random);
  if (one_in(&armed.random, 2))
    allocate(&armed.random);
  if (armed.left != 0)
    arm(armed.key, armed.left, &armed.random);
}

// Behind all other keys: as often as ThreadSanitizer can be told that this is the end (see fhi_lifeline_ends).
#ifdef FH_TSAN
static pthread_key_t Last;
static void arm_last(uintptr_t round) { pthread_setspecific(Last, (void *)round); }
static void at_last(void *round) {
  if (fhi_self()->thread)
    fhi_lifeline_ends(&fhi_self()->thread->line);
  if ((uintptr_t)round < LAST_ROUND)
    arm_last((uintptr_t)round + 1);
}
static void last_start(void) { CHECK(pthread_key_create(&Last, at_last) == 0); }
#else
static void arm_last(uintptr_t round) { (void)round; }
static void last_start(void) {}
#endif

// Buffers that belong to the thread, which the C library frees after all destructors.
static void leave_buffers(void) {
  CHECK(strerror(12345) && strsignal(1234));
  CHECK(!dlsym(RTLD_DEFAULT, "no_such_symbol"));
}

static void when_cancelled(void *random) { allocate(random); }

static void end(struct plan *plan) {
  enum way way = plan->way;
  uint64_t random = plan->random;
  atomic_fetch_sub(plan->left, 1); // the plan is its maker's
  if (way == Exits)
    pthread_exit(NULL);
  if (way == Vanishes)
    syscall(SYS_exit, 0);
  if (way == IsCancelled) {
    pthread_cleanup_push(when_cancelled, &random);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(0);
  }
}

static void *body(void *argument) {
  struct plan *plan = argument;
  arm_last(1);
  if (!plan->idle) {
    if (plan->rounds != 0)
      arm(one_in(&plan->random, 2) ? &Before : &After, plan->rounds, &plan->random);
    if (plan->frees)
      free_others(&plan->random);
    if (plan->allocates)
      allocate(&plan->random);
    if (plan->leaves_buffers)
      leave_buffers();
  }
  end(plan);
  return NULL;
}

static void *body_detaching(void *argument) {
  pthread_detach(pthread_self());
  return body(argument);
}

static void plan_make(struct plan *plan, uint64_t *random, enum fate fate, _Atomic(int) *left) {
  *plan = (struct plan){.random = next(random), .way = (enum way)(next(random) % Ways), .left = left};
  plan->idle = one_in(random, 3);
  plan->frees = one_in(random, 2);
  plan->allocates = one_in(random, 2);
  plan->leaves_buffers = one_in(random, 20);
  plan->rounds = one_in(random, 2) ? (unsigned)(next(random) % (LAST_ROUND + 1)) : 0;
#ifdef FREEHOLD_SANITIZED
  bool vanishes = false; // they wait for its end, or find their own key's value again
#else
  bool vanishes = fate == Joined && one_in(random, 4);
#endif
  if (plan->way == Vanishes && !vanishes)
    plan->way = Returns;
  if (plan->way == IsCancelled && !one_in(random, 4)) // it costs
    plan->way = Returns;
  atomic_fetch_add(&Vanished, plan->way == Vanishes);
  atomic_fetch_add(&Cancelled, plan->way == IsCancelled);
}

static void set_stack(pthread_attr_t *attributes, uint64_t *random, enum fate fate, void *own) {
  static const size_t sizes[] = {64 << 10, 256 << 10, 1 << 20, 8 << 20};
  if (one_in(random, 8) && fate == Joined) {
    pthread_attr_setstack(attributes, own, OwnStack);
  } else if (one_in(random, 8) && atomic_fetch_sub(&StacksLeft, 1) > 0) {
    void *given = mmap(NULL, OwnStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(given != MAP_FAILED);
    pthread_attr_setstack(attributes, given, OwnStack);
  } else if (one_in(random, 2)) {
    pthread_attr_setstacksize(attributes, sizes[next(random) % 4]);
  }
}

static void wave(uint64_t *random) {
  static const enum fate fates[] = {Joined, Detached, Detached, DetachedLater, DetachesItself};
  struct plan plans[WaveMost];
  pthread_t threads[WaveMost];
  enum fate fate[WaveMost];
  unsigned count = 1 + next(random) % WaveMost;
  _Atomic(int) left = (int)count;
  void *own = mmap(NULL, OwnStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool own_in_use = false;
  CHECK(own != MAP_FAILED);
  for (unsigned i = 0; i < count; ++i) {
    pthread_attr_t attributes;
    void *place = NULL;
    size_t size;
    fate[i] = fates[next(random) % 5];
    plan_make(&plans[i], random, fate[i], &left);
    pthread_attr_init(&attributes);
    set_stack(&attributes, random, own_in_use ? Detached : fate[i], own);
    pthread_attr_getstack(&attributes, &place, &size);
    own_in_use |= (char *)place == (char *)own;
    if (fate[i] == Detached)
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error;
    while ((error = pthread_create(&threads[i], &attributes, fate[i] == DetachesItself ? body_detaching : body, &plans[i])) ==
           EAGAIN)
      usleep(100);
    CHECK(error == 0);
    pthread_attr_destroy(&attributes);
    if (fate[i] == DetachedLater)
      pthread_detach(threads[i]);
  }
  while (atomic_load(&left) != 0)
    usleep(20);
  for (unsigned i = 0; i < count; ++i)
    if (fate[i] == Joined)
      pthread_join(threads[i], NULL);
  munmap(own, OwnStack);
  atomic_fetch_add(&Started, count);
}

#ifdef __SANITIZE_ADDRESS__
#define HOOKED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOOKED
#endif
#endif
#ifdef HOOKED
enum { Hooks = 1 };
extern int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t), void (*)(const volatile void *));
static void on_malloc(const volatile void *p, size_t size) { (void)p, (void)size; }

// The process's free is the sanitizer's: what libc frees of a thread that has ended, or of others' then, ours does here. Not
// during a fork: the sanitizer's fork handler prepares after ours, and waits for a lock that its pthread_create holds while that
// waits for the stack cache's, which libc holds here.
static _Atomic(int) InHook;
static _Atomic(bool) Forking;

static void on_free(const volatile void *p) {
  atomic_fetch_add(&InHook, 1);
  if (!atomic_load(&Forking)) {
    struct parcel *parcel = atomic_exchange(&Exchange[(uintptr_t)p / 16 % Slots], NULL);
    if (parcel)
      fhi_free(parcel);
    atomic_fetch_add(&Hooked, parcel != NULL);
  }
  atomic_fetch_sub(&InHook, 1);
}
static void no_hook(bool forking) {
  atomic_store(&Forking, forking);
  while (forking && atomic_load(&InHook) != 0)
    usleep(20);
}
static void hook(void) { CHECK(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0); }
#else
enum { Hooks = 0 };
static void hook(void) {}
static void no_hook(bool forking) { (void)forking; }
#endif

// ---- fork ----
static void at_childs_exit(void) {
  uint64_t random = Seed;
  if (!IsChild)
    return;
  allocate(&random);
  free_others(&random);
  _exit(0);
}

static void child(uint64_t *random) {
  alarm(AlarmSeconds);
  IsChild = true;
  free_others(random);
  allocate(random);
#ifdef FREEHOLD_SANITIZED // they do not know threads in a forked child
  _exit(0);
#else
  for (int i = 0; i < 3; ++i)
    wave(random);
  pthread_exit(NULL); // the last thread to end calls exit
#endif
}

static void fork_now(uint64_t *random) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  int status;
  pthread_mutex_lock(&one_at_a_time);
  no_hook(true);
  pid_t pid = fork();
  if (pid == 0)
    child(random);
  no_hook(false);
  pthread_mutex_unlock(&one_at_a_time);
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
  if (status != 0) {
    fprintf(stderr, "ends: a forked child ended with status %x; --seed %llu\n", status, (unsigned long long)Seed);
    _exit(1);
  }
  atomic_fetch_add(&Forks, 1);
}

// ---- makers ----
static void *make(void *argument) {
  uint64_t random = *(uint64_t *)argument;
  arm_last(1);
  struct parcel *mine = one_in(&random, 2) ? parcel_new(&random, SHARED) : NULL;
  for (int i = 0; i < Waves; ++i) {
    wave(&random);
    if (one_in(&random, ForkOneIn / WaveMost))
      fork_now(&random);
  }
  parcel_free(mine, SHARED);
  return NULL;
}

// ---- the loop ----
static void *sleeper(void *left) {
  usleep(20);
  atomic_fetch_sub((_Atomic(int) *)left, 1);
  return NULL;
}

static void *make_sleepers(void *round) {
  static _Atomic(int) left; // outlives a thread that is about to return
  int count = 3 + *(int *)round % 9;
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 8 << 20);
  atomic_store(&left, count);
  for (int i = 0; i < count; ++i)
    while (pthread_create(&thread, &attributes, sleeper, &left) != 0)
      usleep(100);
  while (atomic_load(&left) != 0)
    usleep(10);
  return NULL;
}

static void loop(int rounds, uint64_t *random) {
  for (int round = 0; round < rounds; ++round) {
    pthread_t thread;
    for (int i = 0; Hooks && i < 64; ++i) // what the hook is to free
      put(random, parcel_new(random, SHARED));
    CHECK(pthread_create(&thread, NULL, make_sleepers, &round) == 0);
    pthread_join(thread, NULL);
  }
}

static long resident_kib(void) {
  long pages = 0, total = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * 4;
}

static unsigned long number(const char *text) {
  char *stop;
  unsigned long value = text ? strtoul(text, &stop, 0) : 0;
  if (text && *text && !*stop)
    return value;
  fprintf(stderr, "usage: ends [--threads N] [--seed S] [--loop N]\n");
  exit(2);
}

int main(int argc, char **argv) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  unsigned long count = 20000, rounds = 0;
  Seed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--threads") == 0)
      count = number(argv[++i]);
    else if (strcmp(argv[i], "--seed") == 0)
      Seed = number(argv[++i]);
    else if (strcmp(argv[i], "--loop") == 0)
      rounds = number(argv[++i]);
    else
      number("?");
  }
  CHECK(pthread_key_create(&Before, at_end) == 0);
  families_start();
  uint64_t random = Seed;
  struct parcel *kept[2][Kept];
  for (int i = 0; i < Kept; ++i)
    for (int kind = SHARED; kind <= LOCAL; ++kind)
      kept[kind][i] = parcel_new(&random, kind);
  CHECK(pthread_key_create(&After, at_end) == 0);
  last_start();
  CHECK(atexit(at_childs_exit) == 0);
  hook();
  printf("ends: --seed %llu --threads %lu\n", (unsigned long long)Seed, count);
  fflush(stdout);

  if (rounds != 0) {
    loop((int)rounds, &random);
    return 0;
  }
  pthread_t makers[Makers];
  uint64_t seeds[Makers];
  bool runs[Makers] = {false};
  long early = 0;
  for (unsigned i = 0; atomic_load(&Started) < count; i = (i + 1) % Makers) {
    if (runs[i])
      pthread_join(makers[i], NULL);
    seeds[i] = next(&random);
    CHECK(pthread_create(&makers[i], NULL, make, &seeds[i]) == 0);
    runs[i] = true;
    atomic_fetch_add(&Started, 1);
    for (int kind = SHARED; kind <= LOCAL; ++kind)
      check_parcel(kept[kind][next(&random) % Kept]);
    if (early == 0 && atomic_load(&Started) > count / 4)
      early = resident_kib();
  }
  for (unsigned i = 0; i < Makers; ++i)
    if (runs[i])
      pthread_join(makers[i], NULL);
  for (int i = 0; i < Kept; ++i)
    for (int kind = SHARED; kind <= LOCAL; ++kind)
      parcel_free(kept[kind][i], kind);
  long at_the_end = resident_kib();
  printf("ends: %lu threads, %lu vanished, %lu cancelled, %lu forks, %lu frees in libc's place, resident %ld -> %ld KiB\n",
         atomic_load(&Started), atomic_load(&Vanished), atomic_load(&Cancelled), atomic_load(&Forks), atomic_load(&Hooked), early,
         at_the_end);
#ifndef FREEHOLD_SANITIZED
  CHECK(at_the_end < 2 * early + (64 << 10));
#endif
  return 0;
}
