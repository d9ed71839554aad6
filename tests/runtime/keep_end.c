// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keep_end.c - what becomes of blocks that a thread keeps: when it ends, in fork, and in the statistics; and what stops it.
#include "keeping.h"

static _Atomic(int) Done;

// ---- a thread that keeps ends ----

enum { Few = 4000 };
static void *Blocks[Few];
static unsigned Chains;
static void count_chain(void *chain) { Chains += chain != NULL; }
static unsigned chains_in_depot(void) {
  Chains = 0;
  fhi_depot_each(count_chain);
  return Chains;
}

static void make_few(void) {
  unsigned state = 8;
  for (int i = 0; i < Few; ++i)
    CHECK((Blocks[i] = fhi_shared_malloc(16 + next(&state) % 2000)) != NULL);
  shuffle(Blocks, Few, &state);
}
static void *keep_few(void *unused) {
  struct fhi_heap *heap = come_to_keep();
  for (int i = 0; i < Few; ++i)
    free_and_keep(heap, Blocks[i]);
  CHECK(!Keeps || (heap->keep.on && chains_in_depot() != 0)); // the last one that keeps takes all out of there
  return unused;
}

static uint64_t live_of_mine(void) {
  fh_stats_thread_t all[4] = {{.size = sizeof *all, .version = FH_STATS_VERSION}};
  size_t count = fh_stats_read_threads(all, 4);
  CHECK(count <= 4);
  for (size_t i = 0; i < count; ++i)
    if (all[i].is_caller)
      return all[i].shared.live_blocks;
  return 0;
}

static void thread_end(void) {
  fhi_trim();
  uint64_t before = live_of_mine();
  make_few();
  CHECK(live_of_mine() == before + Few);
  on_thread(keep_few, NULL);
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
  CHECK(live_of_mine() <= before + OfLibc && chains_in_depot() == 0);
  nothing_is_left(16u << 20);
}

// ---- fork ----

static void *exchange_on(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  for (int round = 0; !atomic_load(&Done); ++round) {
    for (int i = 0; i < 200; ++i)
      exchange(&state);
    usleep(200); // the forking thread needs a processor too
  }
  return NULL;
}
static void *exchange_some(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  for (int i = 0; i < 4000; ++i)
    exchange(&state);
  return NULL;
}

static void child(unsigned state) {
  pthread_t threads[2];
  alarm(30);
  clear_exchange(); // lost threads' blocks
  for (int i = 0; i < 2000; ++i)
    exchange(&state);
  for (uintptr_t i = 0; i < 2; ++i)
    CHECK(pthread_create(&threads[i], NULL, exchange_some, (void *)(i + 100)) == 0);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  clear_exchange();
  fhi_trim();
  pid_t again = fork(); // nothing is held in the child
  if (again == 0) {
    exchange(&state);
    _exit(0);
  }
  int status;
  CHECK(waitpid(again, &status, 0) == again && status == 0);
  _exit(0);
}

static void forks(int count) {
  pthread_t threads[Threads];
  unsigned state = 77;
  come_to_keep();
  for (uintptr_t i = 0; i < Threads; ++i)
    CHECK(pthread_create(&threads[i], NULL, exchange_on, (void *)(i + 1)) == 0);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < 500; ++j)
      exchange(&state);
    pid_t pid = fork();
    if (pid == 0)
      child(state);
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    // What the statistics take off for what lies in heads and in the depot is never more than there is.
    fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
    CHECK(fh_stats_read(&stats) && stats.shared.live_blocks >= 100 && stats.shared.live_bytes <= fhi_mapped_bytes());
  }
  atomic_store(&Done, 1);
  for (int i = 0; i < Threads; ++i)
    pthread_join(threads[i], NULL);
  clear_exchange();
  nothing_is_left(24u << 20);
}

// ---- misuse ----

static void *make_one(void *p) {
  *(void **)p = fhi_shared_malloc(200);
  return NULL;
}
static void *of_another(void) {
  void *p;
  on_thread(make_one, &p);
  return p;
}
static void free_twice(void *p, bool full) {
  struct fhi_heap *heap = fhi_shared_heap();
  fhi_free(p);
  if (full)
    heap->keep.room[fhi_page_of(p)->kept] = 0;
  fhi_free(p);
}
static void *keep_and_free(void *p) {
  come_to_keep();
  fhi_free(p);
  return NULL;
}
static void misuse(void) {
  come_to_keep();
  STOPS(free_twice(fhi_shared_malloc(64), false), "double free: block 0x");
  STOPS(free_twice(fhi_shared_malloc(100000), false), "double free: block 0x");
  if (Keeps) {
    STOPS(free_twice(of_another(), false), "double free: block 0x");
    STOPS(free_twice(of_another(), true), "double free: block 0x");
  }
  STOPS(fhi_free((char *)fhi_shared_malloc(64) + 8), "invalid free: 0x");
  STOPS(fhi_free((char *)of_another() + 16), "invalid free: 0x");
  STOPS(fhi_free((char *)fhi_shared_malloc(100000) + 4096), "invalid free: 0x");
  STOPS(on_thread(keep_and_free, fh_tls_malloc(64)), "wrong thread");
  STOPS(on_thread(keep_and_free, fh_tls_malloc(100000)), "wrong thread");
}

// ---- statistics: a thread that keeps knows to the block what is out ----

static bool is_about(uint64_t live, uint64_t expected) { return live >= expected && live <= expected + OfLibc; }

static void exact(void) {
  make_few();
  uint64_t mine = live_of_mine();
  struct fhi_heap *heap = come_to_keep();
  CHECK(is_about(live_of_mine(), mine)); // what it keeps of others' is none of its own
  for (int i = 0; i < Few; ++i)
    free_and_keep(heap, Blocks[i]);
  fhi_remote_drain(heap, SIZE_MAX);
  fhi_trim();
  uint64_t before = live_blocks();
  for (int round = 0; round < 3; ++round) {
    make_few();
    CHECK(is_about(live_blocks(), before + Few));
    for (int i = 0; i < Few / 2; ++i)
      free_and_keep(heap, Blocks[i]);
    CHECK(is_about(live_blocks(), before + Few / 2));
    for (int i = Few / 2; i < Few; ++i)
      free_and_keep(heap, Blocks[i]);
    CHECK(is_about(live_blocks(), before));
  }
  CHECK(!Keeps || (heap->keep.on && chains_in_depot() != 0));
  fhi_trim();
  CHECK(chains_in_depot() == 0);
}

int main(void) {
  keeping_start();
  thread_end();
  exact();
  misuse();
#ifdef FREEHOLD_SANITIZED
  forks(10);
#else
  forks(50);
#endif
  return 0;
}
