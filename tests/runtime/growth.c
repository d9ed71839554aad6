// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// growth.c - nothing grows without bound where threads free each other's blocks, end early, or free late. Each case runs in a
// process of its own, so that resident memory says something about that case alone.
#include "heaps.h"

#include <pthread.h>

#define MB ((size_t)1 << 20)
#ifdef FREEHOLD_SANITIZED
enum { Handed = 200, Generations = 6, LateThreads = 300 };
#else
enum { Handed = 2000, Generations = 60, LateThreads = 3000 };
#endif

static unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static pthread_t start(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

// Blocks of mixed sizes, `bytes` in all, every one of them touched.
struct blocks {
  size_t count;
  void *at[1 << 17];
};
static void *make(void *argument) {
  struct blocks *blocks = argument;
  unsigned state = 7;
  for (size_t i = 0, bytes = 0; bytes < 12 * MB; ++i) {
    size_t size = 16 + next(&state) % (i % 64 == 0 ? 40000 : 400);
    blocks->at[i] = fhi_shared_malloc(size);
    memset(blocks->at[i], 1, size);
    bytes += size;
    blocks->count = i + 1;
  }
  return NULL;
}
static void *release(void *argument) {
  struct blocks *blocks = argument;
  for (size_t i = 0; i < blocks->count; ++i)
    fhi_free(blocks->at[i]);
  blocks->count = 0;
  return NULL;
}

// ---- a thread that only frees: 12 MB live, 400 MB handed over ----

enum { Batch = 1000, Waiting = 60 };
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void *batches[Waiting][Batch];
  int first, count;
} Queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *only_free(void *argument) {
  for (int i = 0; i < Handed; ++i) {
    pthread_mutex_lock(&Queue.lock);
    while (Queue.count < Waiting)
      pthread_cond_wait(&Queue.changed, &Queue.lock);
    int at = Queue.first;
    pthread_mutex_unlock(&Queue.lock);
    for (int block = 0; block < Batch; ++block)
      fhi_free(Queue.batches[at][block]);
    pthread_mutex_lock(&Queue.lock);
    Queue.first = (at + 1) % Waiting;
    --Queue.count;
    pthread_cond_signal(&Queue.changed);
    pthread_mutex_unlock(&Queue.lock);
  }
  return argument;
}

static long freeing_thread(void) {
  unsigned state = 1;
  pthread_t thread = start(only_free, NULL);
  for (int i = 0; i < Handed + Waiting - 1; ++i) {
    pthread_mutex_lock(&Queue.lock);
    while (Queue.count == Waiting)
      pthread_cond_wait(&Queue.changed, &Queue.lock);
    int at = (Queue.first + Queue.count) % Waiting;
    pthread_mutex_unlock(&Queue.lock);
    for (int block = 0; block < Batch; ++block) {
      size_t size = 8 + next(&state) % 380;
      Queue.batches[at][block] = memset(fhi_shared_malloc(size), 1, size);
    }
    pthread_mutex_lock(&Queue.lock);
    ++Queue.count;
    pthread_cond_signal(&Queue.changed);
    pthread_mutex_unlock(&Queue.lock);
  }
  pthread_join(thread, NULL);
  return resident();
}

// ---- threads that end, and others that free what they made ----

// One thread a generation; main frees.
static long generations(void) {
  static struct blocks blocks;
  long one = 0;
  for (int i = 0; i < Generations; ++i) {
    pthread_join(start(make, &blocks), NULL);
    if (i == 0)
      one = resident();
    release(&blocks);
  }
  CHECK(resident() < 2 * one);
  return resident();
}

// Four threads a generation; four others free what they left.
static long generations_of_four(void) {
  static struct blocks blocks[4];
  long one = 0;
  for (int i = 0; i < Generations / 3; ++i) {
    pthread_t threads[4];
    for (int t = 0; t < 4; ++t)
      threads[t] = start(make, &blocks[t]);
    for (int t = 0; t < 4; ++t)
      pthread_join(threads[t], NULL);
    if (i == 0)
      one = resident();
    for (int t = 0; t < 4; ++t)
      threads[t] = start(release, &blocks[t]);
    for (int t = 0; t < 4; ++t)
      pthread_join(threads[t], NULL);
  }
  CHECK(resident() < 2 * one);
  return resident();
}

// A producer ends while two consumers hold its blocks; they free them afterwards, and nobody allocates: the memory must go all
// the same.
static long ended_producer(void) {
  static struct blocks blocks[2];
  for (int round = 0; round < 20; ++round) {
    pthread_t producer = start(make, &blocks[0]);
    pthread_join(producer, NULL);
    for (size_t i = 0; i < blocks[0].count / 2; ++i)
      blocks[1].at[blocks[1].count++] = blocks[0].at[--blocks[0].count];
    pthread_t consumers[2] = {start(release, &blocks[0]), start(release, &blocks[1])};
    pthread_join(consumers[0], NULL);
    pthread_join(consumers[1], NULL);
  }
  return resident();
}

// A thread leaves 50 MB behind of which one block in 64 is live: a thread that has a heap already takes that memory over.
static void *leave_holes(void *argument) {
  static void *all[800000];
  for (int i = 0; i < 800000; ++i)
    all[i] = fhi_shared_malloc(64);
  for (int i = 0; i < 800000; ++i)
    if (i % 64000 != 0)
      fhi_free(all[i]);
  return argument;
}
static long take_over(void) {
  pthread_join(start(leave_holes, NULL), NULL);
  size_t mapped = fhi_mapped_bytes();
  for (int i = 0; i < 40000; ++i)
    memset(fhi_shared_malloc(1000), 1, 1000);
  fprintf(stderr, "  mapped %zu -> %zu MB\n", mapped >> 20, fhi_mapped_bytes() >> 20);
  CHECK(fhi_mapped_bytes() <= mapped + 8 * MB);
  return resident();
}

// ---- 3,000 threads that allocate and free in all four rounds of key destructors, their own blocks and main's ----

static pthread_key_t Before, After;
struct armed {
  pthread_key_t *key;
  int round;
  void *mains[16];
};
static struct armed *arm(pthread_key_t *key, int round, void **mains) {
  struct armed *armed = fhi_shared_malloc(sizeof *armed);
  *armed = (struct armed){.key = key, .round = round};
  if (mains)
    memcpy(armed->mains, mains, sizeof armed->mains);
  return armed;
}
static void destroy(void *value) {
  struct armed *armed = value, *again = NULL;
  for (int i = 0; i < 40; ++i) {
    void *local = fh_tls_malloc(16 + (size_t)i * 50), *shared = fhi_shared_malloc(16 + (size_t)i * 50);
    memset(local, 1, 16);
    memset(shared, 1, 16);
    fhi_free(local);
    fhi_free(shared);
  }
  for (int i = 4 * (armed->round - 1); i < 4 * armed->round; ++i)
    fhi_free(armed->mains[i]);
  if (armed->round < LAST_ROUND)
    again = arm(armed->key, armed->round + 1, armed->mains);
  pthread_setspecific(*armed->key, again);
  fhi_free(armed);
}
static void *with_keys(void *argument) {
  void **mains = argument;
  pthread_setspecific(Before, arm(&Before, 1, mains));
  pthread_setspecific(After, arm(&After, 1, mains + 16));
  return NULL;
}
static long late_destructors(void) {
  CHECK(pthread_key_create(&Before, destroy) == 0);
  CHECK(pthread_key_create(&After, destroy) == 0);
  for (int i = 0; i < LateThreads; ++i) {
    void *mains[32];
    for (int block = 0; block < 32; ++block)
      mains[block] = block % 16 < 4 * LAST_ROUND ? fhi_shared_malloc(3000) : NULL;
    pthread_join(start(with_keys, mains), NULL);
  }
  return resident();
}

// ---- threads that free each other's blocks, and end ----

enum { Crossing = 3 };
static struct blocks Crossed[Crossing];
static pthread_barrier_t AllMade, AllFreed;

static void *cross(void *argument) {
  int mine = (int)(intptr_t)argument;
  make(&Crossed[mine]);
  pthread_barrier_wait(&AllMade);
  release(&Crossed[(mine + 1) % Crossing]);
  pthread_barrier_wait(&AllFreed);
  return NULL;
}

// Nobody takes a slow path once they have ended.
static long crossing(void) {
  pthread_t threads[Crossing];
  CHECK(pthread_barrier_init(&AllMade, NULL, Crossing) == 0 && pthread_barrier_init(&AllFreed, NULL, Crossing) == 0);
  for (int i = 0; i < Crossing; ++i)
    threads[i] = start(cross, (void *)(intptr_t)i);
  for (int i = 0; i < Crossing; ++i)
    pthread_join(threads[i], NULL);
  return resident();
}

// The case in a child, with a limit in MB on what it holds at the end.
static void bounded(const char *name, long (*body)(void), long limit) {
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) {
    long held = body();
    fprintf(stderr, "%s: %ld MB resident, %zu MB mapped\n", name, held >> 10, fhi_mapped_bytes() >> 20);
#ifndef FREEHOLD_SANITIZED
    CHECK(held < limit << 10);
#else
    (void)limit;
#endif
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  heaps_start();
  fhi_free(fhi_shared_malloc(1)); // a heap: else main would adopt what others left
  bounded("a thread that only frees", freeing_thread, 40);
  bounded("60 generations, main frees", generations, 8);
  bounded("20 generations of four", generations_of_four, 60);
  bounded("a producer that ends", ended_producer, 24);
  bounded("segments of an ended thread", take_over, 100);
  bounded("threads that free each other's", crossing, 16);
  bounded("late destructors", late_destructors, 40);
  return 0;
}
