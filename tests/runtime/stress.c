// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress.c [--seconds N] [--seed S] [--threads T] [--forks N] [--may-fail]: everything at once, for as long as one likes.
//
// Threads come and go. Each makes, checks, grows and frees blocks of both kinds through every function, and every block carries a
// pattern that follows from its seed: checked when it is freed, resized, handed over, and now and then. Shared blocks change
// hands one by one and in batches; some threads only make them, some only free them. Some end with live local blocks, leave
// their shared ones to others, and allocate in a key's destructors. Requests set marks, nested, and drop what came after. Any
// thread may fork; the child checks what it inherited, works on, starts a thread, and leaves. The seed is printed; with one
// thread it repeats a run exactly.
#include "stress.h"

#include <sched.h>

enum { Kept = 500, Slots = 512, Queues = 8, QueueMax = 4000, ThreadsMax = 64, AlarmSeconds = 120 };

struct block {
  unsigned char *bytes;
  size_t size;  // bytes that carry the pattern
  size_t asked; // for
  uint64_t seed;
  uint8_t kind;
};
// A shared block on its way to another thread; the pattern follows the header.
struct message {
  struct message *next;
  size_t size;
  uint64_t seed;
  unsigned char bytes[];
};
enum role { Mixed, Maker, Freer, RoleCount };
struct worker {
  uint64_t random, first;
  unsigned number;
  unsigned long step;
  enum role role;
  struct block kept[Kept];
};

static _Atomic(struct message *) Exchange[Slots];
static struct {
  _Atomic(struct message *) first;
  _Atomic(long) count;
} Queue[Queues];
static _Atomic(unsigned) Number;
static _Atomic(long) ForksLeft = 1000;
static _Atomic(unsigned long) Steps, Forks, Messages;
static uint64_t Seed;
static bool MayFail, IsChild;
static pthread_key_t Late;

static _Noreturn void broken(const struct worker *worker, const char *what, const void *p, size_t size, size_t offset) {
  fprintf(stderr, "stress: %s: block %p of %zu bytes, at offset %zu; --seed %llu, thread %u, step %lu%s\n", what, p, size, offset,
          (unsigned long long)Seed, worker->number, worker->step, IsChild ? ", in a forked child" : "");
  _exit(1);
}

static void check_bytes(const struct worker *worker, unsigned char *bytes, size_t size, size_t end, uint64_t seed) {
  size_t offset = over(bytes, size, end, seed, compare_word);
  if (offset < end)
    broken(worker, "content lost", bytes, size, offset);
}
static void check(const struct worker *worker, const struct block *block) {
  check_bytes(worker, block->bytes, block->size, block->size, block->seed);
  if (IsLocal && IsLocal(block->bytes) != (block->kind == LOCAL))
    broken(worker, "changed its kind", block->bytes, block->size, 0);
}

static size_t some_size(uint64_t *random) {
  uint64_t r = next(random);
  size_t small = (size_t)(r >> 32);
  if (r % 4096 == 0)
    return small % 12000000;
  if (r % 256 == 0)
    return small % 300000;
  if (r % 64 == 0)
    return ((size_t)1 << small % 17) + small / 64 % 3 - 1; // where classes begin and end
  return r % 8 == 0 ? small % 5000 : small % 200;
}

static void *checked(const struct worker *worker, void *p, size_t size) {
  if (!p && !(MayFail && errno == ENOMEM))
    broken(worker, "no memory", p, size, 0);
  return p;
}

// ---- blocks of one's own ----
static const struct family *some_family(uint64_t *random) {
  unsigned r = next(random) % 4;
  return &Families[r < 2 ? SHARED : r == 2 ? LOCAL : LOCAL_HEAP];
}

static void *make_bytes(struct worker *worker, const struct family *family, size_t *size) {
  uint64_t *random = &worker->random;
  // A run of pages for a small size ends inlined frees in this thread, so half the threads make none.
  size_t alignment = (size_t)1 << next(random) % (worker->number % 2 && one_in(random, 64) ? 23 : 13);
  char text[200];
  void *p;
  switch (next(random) % 8) {
  case 0:
    if (*size % 3 == 0)
      *size += 3;
    p = checked(worker, *size % 3 ? family->calloc(1, *size) : family->calloc(*size / 3, 3), *size);
    for (size_t i = 0; p && i < *size; i += i < Whole || *size - i < 4000 ? 1 : 4001)
      if (((char *)p)[i] != 0)
        broken(worker, "calloc not zero", p, *size, i);
    return p;
  case 1:
    p = checked(worker, family->aligned(alignment, *size), *size);
    if ((uintptr_t)p & (alignment - 1))
      broken(worker, "not aligned", p, *size, alignment);
    return p;
  case 2:
    return checked(worker, family->realloc(NULL, *size), *size);
  case 3:
    if (!family->strdup)
      break;
    *size = *size % (sizeof text - 1) + 1;
    memset(text, 'f', *size - 1);
    text[*size - 1] = '\0';
    p = checked(worker, family->strdup(text), *size);
    if (p && strcmp(p, text) != 0)
      broken(worker, "strdup differs", p, *size, 0);
    return p;
  }
  return checked(worker, family->malloc(*size), *size);
}

static void make(struct worker *worker, struct block *block) {
  uint64_t *random = &worker->random;
  const struct family *family = some_family(random);
  block->size = some_size(random);
  block->bytes = make_bytes(worker, family, &block->size);
  if (!block->bytes)
    return;
  bool local = IsLocal && IsLocal(block->bytes);
  if (IsLocal && local != (family != &Families[SHARED]) && !(MayFail && !local))
    broken(worker, "wrong kind", block->bytes, block->size, 0);
  if ((uintptr_t)block->bytes & (block->size < 16 ? 7 : 15))
    broken(worker, "not aligned", block->bytes, block->size, 16);
  block->kind = local ? LOCAL : SHARED;
  block->asked = block->size;
  if (one_in(random, 4)) { // whatever is usable is ours
    size_t usable = Usable(block->bytes);
    if (usable < block->size)
      broken(worker, "usable size too small", block->bytes, block->size, usable);
    block->size = usable;
  }
  block->seed = next(random);
  fill_pattern(block->bytes, block->size, block->seed);
}

static void drop(struct worker *worker, struct block *block) {
  check(worker, block);
  const struct family *family = some_family(&worker->random); // every free takes both kinds
  if (family->free_sized && one_in(&worker->random, 2))
    family->free_sized(block->bytes, block->asked);
  else
    family->free(block->bytes);
  block->bytes = NULL;
}

static void resize(struct worker *worker, struct block *block) {
  struct block old = *block;
  check(worker, block);
  block->size = some_size(&worker->random) + 1;
  block->asked = block->size;
  block->bytes = checked(worker, some_family(&worker->random)->realloc(old.bytes, block->size), block->size);
  if (!block->bytes) {
    *block = old; // untouched
    check(worker, block);
    return;
  }
  check_bytes(worker, block->bytes, old.size, old.size < block->size ? old.size : block->size, old.seed);
  if (IsLocal && IsLocal(block->bytes) != (block->kind == LOCAL)) {
    if (!MayFail)
      broken(worker, "realloc changed the kind", block->bytes, block->size, 0);
    block->kind = IsLocal(block->bytes) ? LOCAL : SHARED;
  }
  fill_pattern(block->bytes, block->size, block->seed);
}

// ---- marks: a request's memory, dropped at once ----
#ifndef STRESS_PROCESS
static void request(struct worker *worker, unsigned depth) {
  struct block blocks[40];
  fh_heap_t *heap = fh_heap_self();
  fh_mark_t mark = fh_heap_mark(heap);
  unsigned count = next(&worker->random) % 40;
  for (unsigned i = 0; i < count; ++i)
    make(worker, &blocks[i]);
  for (unsigned i = 0; i < 8; ++i) { // frees of older blocks stand
    struct block *older = &worker->kept[next(&worker->random) % Kept];
    if (older->bytes && one_in(&worker->random, 4))
      drop(worker, older);
    else if (older->bytes)
      check(worker, older);
  }
  if (depth < 3 && one_in(&worker->random, 2))
    request(worker, depth + 1);
  for (unsigned i = 0; i < count; ++i)
    if (blocks[i].bytes && (blocks[i].kind == SHARED || one_in(&worker->random, 2)))
      drop(worker, &blocks[i]);
    else if (blocks[i].bytes)
      check(worker, &blocks[i]);
  fh_heap_reset(heap, mark);
}
#else
static void request(struct worker *worker, unsigned depth) { (void)worker, (void)depth; }
#endif

// ---- blocks that change hands ----
static struct message *message_new(struct worker *worker) {
  size_t size = some_size(&worker->random), whole = size + sizeof(struct message);
  struct message *message = make_bytes(worker, &Families[SHARED], &whole);
  if (!message)
    return NULL;
  if (whole < sizeof *message + size)
    size = whole < sizeof *message ? 0 : whole - sizeof *message;
  if (whole < sizeof *message) {
    Families[SHARED].free(message);
    return NULL;
  }
  message->size = size;
  message->seed = next(&worker->random);
  message->next = NULL;
  fill_pattern(message->bytes, size, message->seed);
  atomic_fetch_add_explicit(&Messages, 1, memory_order_relaxed);
  return message;
}

static void take(struct worker *worker, struct message *message) {
  while (message) {
    struct message *after = message->next;
    check_bytes(worker, message->bytes, message->size, message->size, message->seed);
    Families[message->seed & 1].free(message);
    message = after;
  }
}

static void receive(struct worker *worker, unsigned queue) {
  struct message *all = atomic_exchange(&Queue[queue].first, NULL);
  if (!all)
    return;
  atomic_store(&Queue[queue].count, 0); // roughly
  take(worker, all);
}

static void swap_one(struct worker *worker) {
  take(worker, atomic_exchange(&Exchange[next(&worker->random) % Slots], message_new(worker)));
}

static void send_batch(struct worker *worker) {
  unsigned queue = next(&worker->random) % Queues;
  unsigned count = 1 + next(&worker->random) % (one_in(&worker->random, 8) ? 300 : 30);
  for (unsigned i = 0; i < count; ++i) {
    struct message *message = message_new(worker);
    if (!message)
      return;
    message->next = atomic_load(&Queue[queue].first);
    while (!atomic_compare_exchange_weak(&Queue[queue].first, &message->next, message))
      ;
  }
  if (atomic_fetch_add(&Queue[queue].count, count) > QueueMax)
    receive(worker, queue);
}

// ---- fork ----
static void step(struct worker *worker);

static void *child_thread(void *argument) {
  struct worker *worker = argument;
  for (int i = 0; i < 200; ++i)
    step(worker);
  return NULL;
}

static void child(struct worker *worker) {
  alarm(AlarmSeconds);
  IsChild = true;
  atomic_store(&ForksLeft, 0);
  for (int i = 0; i < Kept; ++i)
    if (worker->kept[i].bytes)
      check(worker, &worker->kept[i]);
  for (int i = 0; i < 300; ++i)
    step(worker);
#ifndef FREEHOLD_SANITIZED // they do not know threads in a forked child
  pthread_t thread;
  struct worker *other = Families[SHARED].calloc(1, sizeof *other);
  if (other) {
    other->random = next(&worker->random);
    CHECK(pthread_create(&thread, NULL, child_thread, other) == 0);
    child_thread(worker);
    pthread_join(thread, NULL);
    for (int i = 0; i < Kept; ++i)
      if (other->kept[i].bytes && other->kept[i].kind == SHARED)
        drop(worker, &other->kept[i]);
    Families[SHARED].free(other);
  }
#endif
  for (unsigned i = 0; i < Queues; ++i)
    receive(worker, i);
  for (int i = 0; i < Kept; ++i)
    if (worker->kept[i].bytes)
      drop(worker, &worker->kept[i]);
  _exit(0);
}

static void fork_now(struct worker *worker) {
  if (atomic_fetch_sub(&ForksLeft, 1) <= 0)
    return;
  pid_t pid = fork();
  if (pid == 0)
    child(worker);
  int status;
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
  if (status != 0) {
    fprintf(stderr, "stress: a forked child ended with status %x; --seed %llu\n", status, (unsigned long long)Seed);
    _exit(1);
  }
  atomic_fetch_add(&Forks, 1);
}

// ---- threads ----
static void step(struct worker *worker) {
  uint64_t *random = &worker->random;
  struct block *block = &worker->kept[next(random) % Kept];
  unsigned what = next(random) % 16;
  ++worker->step;
  if (worker->role == Freer && what != 0) {
    receive(worker, next(random) % Queues);
    take(worker, atomic_exchange(&Exchange[next(random) % Slots], NULL));
    sched_yield();
  } else if (what == 0 || (worker->role == Maker && what < 4)) {
    swap_one(worker);
  } else if (what == 1 && one_in(random, 8)) {
    send_batch(worker);
  } else if (what == 2 && one_in(random, 16)) {
    receive(worker, next(random) % Queues);
  } else if (what == 3 && one_in(random, 2048)) {
    fork_now(worker);
  } else if (what == 3 && one_in(random, 1024)) {
    Trim();
  } else if (what == 3 && one_in(random, 64)) {
    request(worker, 0);
  } else if (!block->bytes) {
    make(worker, block);
  } else if (what < 6) {
    resize(worker, block);
  } else if (what == 6) {
    check(worker, block);
  } else {
    drop(worker, block);
  }
}

// Destructors may still allocate and free, of both kinds.
static void late(void *value) {
  struct block *block = value;
  struct worker worker = {.random = block->seed, .first = block->seed, .number = atomic_fetch_add(&Number, 1)};
  check(&worker, block);
  for (int i = 0; i < 300; ++i)
    step(&worker);
  for (int i = 0; i < Kept; ++i)
    if (worker.kept[i].bytes)
      drop(&worker, &worker.kept[i]);
  Families[SHARED].free(block->bytes);
  Families[SHARED].free(block);
}

static void arm_late(struct worker *worker) {
  struct block *block = Families[SHARED].malloc(sizeof *block);
  if (!block)
    return;
  *block = (struct block){.size = 100, .seed = next(&worker->random), .kind = SHARED};
  block->bytes = Families[SHARED].malloc(block->size);
  if (!block->bytes) {
    Families[SHARED].free(block);
    return;
  }
  fill_pattern(block->bytes, block->size, block->seed);
  pthread_setspecific(Late, block);
}

static void *work(void *argument) {
  struct worker *worker = argument;
  uint64_t *random = &worker->random;
  unsigned long steps = one_in(random, 4) ? next(random) % 50 : next(random) % 60000;
  bool leave_local = one_in(random, 2);
  if (one_in(random, 3))
    arm_late(worker);
  if (worker->role == Freer)
    steps /= 30;
  for (unsigned long i = 0; i < steps; ++i)
    step(worker);
  for (int i = 0; i < Kept; ++i)
    if (worker->kept[i].bytes && !(leave_local && worker->kept[i].kind == LOCAL))
      drop(worker, &worker->kept[i]);
  atomic_fetch_add(&Steps, worker->step);
  return NULL;
}

// The worker's record is a shared block too, made by one thread and freed by another.
static pthread_t start(uint64_t *random, struct worker **slot) {
  struct worker *worker = calloc(1, sizeof *worker);
  CHECK(worker);
  worker->number = atomic_fetch_add(&Number, 1);
  worker->random = next(random);
  worker->role = worker->number % 4 < RoleCount ? (enum role)(worker->number % 4) : Mixed;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, worker) == 0);
  *slot = worker;
  return thread;
}

static long resident_kib(void) {
  long pages = 0, total = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * 4;
}

static unsigned long number(const char *text) {
  char *end;
  unsigned long value = text ? strtoul(text, &end, 0) : 0;
  if (text && *text && !*end)
    return value;
  fprintf(stderr, "usage: stress [--seconds N] [--seed S] [--threads T] [--forks N] [--may-fail]\n");
  exit(2);
}

int main(int argc, char **argv) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time_t seconds = 2;
  unsigned count = 4;
  Seed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--may-fail") == 0)
      MayFail = true;
    else if (strcmp(argv[i], "--seconds") == 0)
      seconds = (time_t)number(argv[++i]);
    else if (strcmp(argv[i], "--seed") == 0)
      Seed = number(argv[++i]);
    else if (strcmp(argv[i], "--threads") == 0)
      count = (unsigned)number(argv[++i]);
    else if (strcmp(argv[i], "--forks") == 0)
      atomic_store(&ForksLeft, (long)number(argv[++i]));
    else
      number("?");
  }
  CHECK(count > 0 && count <= ThreadsMax);
  families_start();
  CHECK(pthread_key_create(&Late, late) == 0);
  printf("stress: --seed %llu --threads %u --seconds %ld%s\n", (unsigned long long)Seed, count, (long)seconds,
         IsLocal ? "" : ", without local heaps");
  fflush(stdout);

  pthread_t threads[ThreadsMax];
  struct worker *workers[ThreadsMax];
  uint64_t random = Seed;
  long high = 0;
  unsigned ended = 0;
  for (unsigned i = 0; i < count; ++i)
    threads[i] = start(&random, &workers[i]);
  for (time_t end = time(NULL) + seconds; time(NULL) < end; ++ended) {
    unsigned i = ended % count;
    pthread_join(threads[i], NULL);
    free(workers[i]);
    threads[i] = start(&random, &workers[i]);
    if (ended == 30)
      high = resident_kib();
  }
  for (unsigned i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    free(workers[i]);
  }
  long at_end = resident_kib();
  printf("stress: %u threads, %lu steps, %lu messages, %lu forks, resident %ld -> %ld KiB\n", ended + count, atomic_load(&Steps),
         atomic_load(&Messages), atomic_load(&Forks), high, at_end);
#ifndef FREEHOLD_SANITIZED
  CHECK(high == 0 || at_end < 3 * high + (64 << 10));
#endif
  return 0;
}
