// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memory.c - what the process holds of the system's memory: little when it is idle, all it needs while it works, and nothing that
// could be given back after malloc_trim.
#include "../../runtime/heap/cache.h"
#include "heaps.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifdef FREEHOLD_SANITIZED
enum { MIB = 1 << 16 }; // the same paths in a sixteenth of the time
#else
enum { MIB = 1 << 20 };
#endif

static _Thread_local unsigned long Random = 88172645463325252ul;
static unsigned next_random(unsigned below) {
  Random ^= Random << 13, Random ^= Random >> 7, Random ^= Random << 17;
  return (unsigned)(Random >> 33) % below;
}

// Blocks of sizes in [low, high), linked through their first word; the list's length in bytes is about `bytes`.
static void *make(size_t bytes, unsigned low, unsigned high, void *(*allocate)(size_t)) {
  void *list = NULL;
  while (bytes > high) {
    size_t size = low + next_random(high - low);
    void **p = allocate(size);
    CHECK(p);
    memset(p, 1, size);
    *p = list;
    list = p;
    bytes -= size;
  }
  return list;
}

static void drop(void *list) {
  while (list) {
    void *next = *(void **)list;
    fhi_free(list);
    list = next;
  }
}

static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Does the system give huge pages now, to who asks for them?
static bool huge_pages(void) {
  size_t size = (size_t)8 << 20;
  char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  madvise(p, size, MADV_HUGEPAGE);
  long before = faults();
  for (size_t at = 0; at < size; at += 4096)
    p[at] = 1;
  long more = faults() - before;
  munmap(p, size);
  return more <= 3 + 512 + 1;
}

struct work {
  size_t bytes;
  unsigned low, high;
  void *(*allocate)(size_t);
  pthread_barrier_t *freed;
};

static void *rise_and_fall(void *argument) {
  struct work *work = argument;
  drop(make(work->bytes, work->low, work->high, work->allocate));
  if (work->freed) {
    pthread_barrier_wait(work->freed);
    pthread_barrier_wait(work->freed);
  }
  return NULL;
}

// Much is freed, then nothing happens. What is left is what would be left in an hour: no thread of ours does anything later.
static void idle(size_t bytes, unsigned low, unsigned high, void *(*allocate)(size_t), bool threads_live) {
  long before = resident();
  pthread_barrier_t freed;
  struct work work = {bytes / 2, low, high, allocate, threads_live ? &freed : NULL};
  pthread_t threads[2];
  pthread_barrier_init(&freed, NULL, 3);
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_create(&threads[i], NULL, rise_and_fall, &work) == 0);
  if (threads_live)
    pthread_barrier_wait(&freed);
  else
    for (int i = 0; i < 2; ++i)
      pthread_join(threads[i], NULL);
  long left = resident();
  fprintf(stderr, "%zu MiB of %u to %u bytes freed, threads %s: %ld KiB before, %ld after\n", bytes / MIB, low, high,
          threads_live ? "alive" : "gone", before, left);
#ifndef FREEHOLD_SANITIZED
  CHECK(left < 16 * 1024);
#endif
  if (threads_live) {
    pthread_barrier_wait(&freed);
    for (int i = 0; i < 2; ++i)
      pthread_join(threads[i], NULL);
  }
  fhi_trim();
}

// A program that rises and falls again and again gets its memory from the system twice: what the first fall dropped was a
// mistake.
static void rounds(unsigned low, unsigned high) {
  long first = 0, last = 0;
  for (int round = 0; round < 20; ++round) {
    long before = faults();
    drop(make((size_t)64 * MIB, low, high, fhi_shared_malloc));
    if (round < 2)
      first += faults() - before;
    else
      last += faults() - before;
  }
  fprintf(stderr, "rounds of 64 MiB of %u to %u bytes: %ld faults in the first two, %ld in the other eighteen\n", low, high,
          first, last);
#ifndef FREEHOLD_SANITIZED
  CHECK(last < 18 * 40);
#endif
  fhi_trim();
}

// What one thread has freed is there for another, though the first one lives on.
static void shared_by_threads(void) {
  enum { Count = 8 };
  pthread_t threads[Count];
  pthread_barrier_t freed[Count];
  struct work work[Count];
  long before = resident(), first = 0;
  for (int i = 0; i < Count; ++i) {
    if (i == 2)
      first = faults();
    work[i] = (struct work){(size_t)5 * MIB, 400, 500, fhi_shared_malloc, &freed[i]};
    pthread_barrier_init(&freed[i], NULL, 2);
    CHECK(pthread_create(&threads[i], NULL, rise_and_fall, &work[i]) == 0);
    pthread_barrier_wait(&freed[i]);
  }
  long more = resident() - before;
  long later = faults() - first;
  fprintf(stderr, "%d threads rise to 5 MiB one after another: %ld KiB more, %ld faults of the last six\n", Count, more, later);
#ifndef FREEHOLD_SANITIZED
  CHECK(more < 20 * 1024 && later < 6 * 200);
#endif
  for (int i = 0; i < Count; ++i) {
    pthread_barrier_wait(&freed[i]);
    pthread_join(threads[i], NULL);
  }
}

// Blocks of one size, more and more of them, are in huge pages from half a megabyte on, also in a thread that has just begun.
static void burst(void) {
  pthread_t thread;
  struct work work = {(size_t)5 * MIB, 500, 504, fhi_shared_malloc, NULL};
  bool huge = huge_pages();
  fhi_trim(); // the thread may adopt a heap
  long before = faults();
  CHECK(pthread_create(&thread, NULL, rise_and_fall, &work) == 0);
  pthread_join(thread, NULL);
  long more = faults() - before;
  fprintf(stderr, "a new thread makes 5 MiB of blocks of one size: %ld faults%s\n", more,
          huge ? "" : "; not judged, the system gives no huge pages");
#ifndef FREEHOLD_SANITIZED
  CHECK(!huge || more < 250);
#endif
  fhi_trim();
}

// A loop around any level: no page goes to the system and back.
static void edges(size_t size, void *(*allocate)(size_t)) {
  enum { Levels = 140, Turns = 50 };
  void *kept[Levels];
  long most = 0;
  for (int level = 0; level < Levels; ++level) {
    void *two[2];
    long before = 0;
    for (int turn = 0; turn < Turns; ++turn) {
      if (turn == 2)
        before = faults();
      for (int i = 0; i < 2; ++i) {
        two[i] = allocate(size);
        memset(two[i], turn, size);
      }
      for (int i = 0; i < 2; ++i)
        fhi_free(two[i]);
    }
    long more = faults() - before;
    most = more > most ? more : most;
    kept[level] = allocate(size);
  }
  fprintf(stderr, "loops around %d levels of blocks of %zu bytes: %ld faults at most\n", Levels, size, most);
#ifndef FREEHOLD_SANITIZED
  CHECK(most < Turns);
#endif
  for (int level = Levels; level-- > 0;)
    fhi_free(kept[level]);
  fhi_trim();
}

// Is the process's cap at least so much? Nothing is held, and nothing lent.
static bool may_keep(size_t bytes, uint32_t now) {
  fhi_cache_look(now);
  bool may = fhi_cache_lend(bytes, now);
  if (may)
    fhi_cache_repay(bytes);
  return may;
}

// The cap rises as far as memory that was dropped is missed, up to what there was, and comes down when nothing needs it.
static void cap_learns_and_forgets(void) {
  const size_t mib = 1 << 20;
  fhi_trim();
  fhi_lock();
  fhi_cache_drop_all();
  uint32_t now = fhi_os_milliseconds();
  CHECK(may_keep(8 * mib, now) && !may_keep(9 * mib, now));
  fhi_cache_dropped(100 * mib, now);
  CHECK(!may_keep(9 * mib, now));
  fhi_cache_missed(10 * mib, now + 2000, now); // too late to be a mistake
  CHECK(!may_keep(9 * mib, now + 2000));
  fhi_cache_dropped(100 * mib, now + 4000);
  fhi_cache_missed(10 * mib, now + 4100, now); // by a heap that gave nothing lately
  CHECK(!may_keep(9 * mib, now + 4100));
  fhi_cache_missed(10 * mib, now + 4200, now + 4000);
  CHECK(may_keep(28 * mib, now + 4200) && !may_keep(29 * mib, now + 4200));
  fhi_cache_missed(90 * mib, now + 4300, now + 4000);
  CHECK(may_keep(149 * mib, now + 4300) && !may_keep(151 * mib, now + 4300));
  CHECK(may_keep(149 * mib, now + 8000));
  CHECK(may_keep(74 * mib, now + 9000) && !may_keep(76 * mib, now + 9000));
  CHECK(!may_keep(9 * mib, now + 60000) && may_keep(8 * mib, now + 60000));
  fhi_cache_drop_all();
  fhi_unlock();
}

// A few blocks of every size take more pages than a segment has, and hardly any memory: no huge page lies under them.
static void *looks_late(void *ready) {
  fhi_free(fhi_shared_malloc(60000));
  usleep(1100000); // so long that the heap looks at what it keeps
  atomic_store((atomic_bool *)ready, true);
  for (int i = 0; i < 40; ++i)
    fhi_free(fhi_shared_malloc(60000));
  return NULL;
}

// A thread waits for the lock while another one gives a mapping: what is younger than its wait is not old.
static void kept_while_waiting(void) {
  pthread_t thread;
  atomic_bool ready = false;
  fhi_trim();
  CHECK(pthread_create(&thread, NULL, looks_late, &ready) == 0);
  usleep(1000000);
  fhi_lock();
  fhi_free(fhi_shared_malloc(3 << 20));
  while (!atomic_load(&ready))
    usleep(1000);
  usleep(200000);
  fhi_free(fhi_shared_malloc(3 << 20));
  uint32_t given = fhi_os_milliseconds();
  fhi_unlock();
  pthread_join(thread, NULL);
  CHECK(atomic_load(&fhi_cache_holds) || fhi_os_milliseconds() - given > 500);
}

static void *few_of_each(void *unused) {
  void *blocks[FH_CLASS_COUNT];
  size_t live = 0;
  long before = resident();
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    size_t size = fh_class_size(class);
    blocks[class] = memset(fhi_shared_malloc(size), 1, size);
    live += size;
  }
  long grown = resident() - before;
  fprintf(stderr, "one block of each of %u sizes, %zu KiB: %ld KiB\n", FH_CLASS_COUNT, live / 1024, grown);
#ifndef FREEHOLD_SANITIZED
  CHECK(grown < 1024 + (long)live / 1024);
#endif
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    fhi_free(blocks[class]);
  return unused;
}

// Large blocks of other and other sizes: one's memory is moved to the next, so that neither faults are many nor is much kept.
static void replaced(void) {
  enum { Live = 8, Steps = 120, Settled = 40 };
  char *live[Live] = {NULL};
  size_t sizes[Live] = {0}, total = 0;
  long before = 0, base = resident(), most = 0;
  for (int step = 0; step < Steps; ++step) {
    unsigned i = next_random(Live);
    if (step == Settled)
      before = faults();
    fhi_free(live[i]);
    total -= sizes[i];
    sizes[i] = (size_t)5 * MIB + next_random(15 * MIB);
    total += sizes[i];
    live[i] = fhi_shared_malloc(sizes[i]);
    CHECK(live[i]);
    for (size_t at = 0; at < sizes[i]; at += 4096)
      live[i][at] = 1;
    long more = resident() - base - (long)(total / 1024);
    most = more > most ? more : most;
  }
  long more = faults() - before;
  fprintf(stderr, "%d huge blocks replaced by others: %ld faults, at most %ld KiB more than they need\n", Steps - Settled, more,
          most);
#ifndef FREEHOLD_SANITIZED
  CHECK(more < 15 * (Steps - Settled) && most < 40 * 1024);
#endif
  for (int i = 0; i < Live; ++i)
    fhi_free(live[i]);
  fhi_trim();
}

enum { KEPT = 16, MOST = 500000 };
static struct {
  unsigned char *block;
  unsigned size;
} Blocks[MOST];

// The shape that fragments most: of many small blocks every sixteenth stays.
static void trim_sub_page(size_t bytes, void *(*allocate)(size_t)) {
  size_t count = 0, live = 0;
  for (size_t made = 0; made < bytes && count < MOST; made += Blocks[count++].size) {
    Blocks[count].size = 32 + next_random(2000);
    Blocks[count].block = allocate(Blocks[count].size);
    CHECK(Blocks[count].block);
    fill(Blocks[count].block, Blocks[count].size, (unsigned)count);
  }
  for (size_t i = 0; i < count; ++i)
    if (i % KEPT != 0)
      fhi_free(Blocks[i].block);
    else
      live += Blocks[i].size;
  long before = resident();
  CHECK(fhi_trim() != 0);
  long after = resident();
  fprintf(stderr, "every %dth of %zu blocks kept, %zu KiB: %ld KiB before malloc_trim, %ld after\n", KEPT, count, live / 1024,
          before, after);
#ifndef FREEHOLD_SANITIZED
  CHECK((size_t)after * 1024 < 10 * live);
#endif
  // What was sent away comes back, all of it, and no block twice.
  for (size_t i = 0; i < count; ++i)
    if (i % KEPT != 0) {
      Blocks[i].block = allocate(Blocks[i].size);
      fill(Blocks[i].block, Blocks[i].size, (unsigned)i);
    }
  for (size_t i = 0; i < count; ++i) {
    CHECK(filled(Blocks[i].block, Blocks[i].size, (unsigned)i));
    fhi_free(Blocks[i].block);
  }
  fhi_trim();
}

// Trims in every state of a heap, with frees, allocations and heads flushed in between; contents tell if a block was handed out
// twice.
static void trim_churn(void) {
  enum { LIVE = 3000 };
  static struct {
    unsigned char *block;
    unsigned size;
  } live[LIVE];
  for (unsigned step = 0; step < 400000; ++step) {
    unsigned i = next_random(LIVE);
    if (live[i].block) {
      CHECK(filled(live[i].block, live[i].size, i));
      fhi_free(live[i].block);
      live[i].block = NULL;
    }
    if (next_random(step / 20000 % 2 ? 3 : 12) == 0) {
      live[i].size = next_random(20) == 0 ? 1 + next_random(30000) : 1 + next_random(2000);
      live[i].block = i % 2 ? fhi_shared_malloc(live[i].size) : fh_tls_malloc(live[i].size);
      CHECK(live[i].block);
      fill(live[i].block, live[i].size, i);
    }
    if (next_random(2000) == 0)
      fhi_trim();
    if (next_random(5000) == 0)
      fhi_heads_flush(fhi_shared_heap(), true);
  }
  for (unsigned i = 0; i < LIVE; ++i)
    if (live[i].block) {
      CHECK(filled(live[i].block, live[i].size, i));
      fhi_free(live[i].block);
    }
  // Every page knows that it is empty.
  fhi_heads_flush(fhi_shared_heap(), true);
  fhi_heads_flush(fhi_local_heap(), true);
  CHECK(fhi_shared_heap()->idle.used == 0 && fhi_local_heap()->idle.used == 0);
}

static pthread_barrier_t Stage;

static void *holds_idle_pages(void *unused) {
  fhi_free(fhi_shared_malloc(8));
  fhi_shared_heap()->idle.lent = 1 << 20; // a heap that had reason to keep a lot
  void **pins = NULL;
  for (void **p = make((size_t)48 * MIB, 200000, 300000, fhi_shared_malloc), **next; p; p = next) {
    next = *p;
    if (next_random(8) == 0) { // a segment with one of these stays the heap's
      *p = pins;
      pins = p;
    } else {
      fhi_free(p);
    }
  }
  fhi_shared_heap()->idle.flush_below = 0; // only the request is left as a reason to do anything
  pthread_barrier_wait(&Stage);
  pthread_barrier_wait(&Stage); // trimmed
  fhi_free(fhi_shared_malloc(300000));
  pthread_barrier_wait(&Stage); // obeyed
  pthread_barrier_wait(&Stage);
  drop(pins);
  return unused;
}

// One thread trims while another holds idle pages: that one obeys when it next comes to a slow path.
static void trim_others(void) {
  pthread_t thread;
  pthread_barrier_init(&Stage, NULL, 2);
  CHECK(pthread_create(&thread, NULL, holds_idle_pages, NULL) == 0);
  pthread_barrier_wait(&Stage);
  fhi_trim();
  pthread_barrier_wait(&Stage);
  pthread_barrier_wait(&Stage);
  long after = resident();
  fprintf(stderr, "after another thread's malloc_trim: %ld KiB\n", after);
#ifndef FREEHOLD_SANITIZED
  CHECK(after < 16 * 1024);
#endif
  pthread_barrier_wait(&Stage);
  pthread_join(thread, NULL);
}

// Without an argument all, with one the trims alone.
int main(int argc, char **argv) {
  (void)argv;
  heaps_start();
  pthread_t thread; // whose heap is new
  CHECK(pthread_create(&thread, NULL, few_of_each, NULL) == 0);
  pthread_join(thread, NULL);
  if (argc == 1) {
    idle((size_t)500 * MIB, 16, 2000, fhi_shared_malloc, true);
    idle((size_t)500 * MIB, 16, 2000, fhi_shared_malloc, false);
    idle((size_t)500 * MIB, 16, 2000, fh_tls_malloc, true);
    idle((size_t)500 * MIB, 30000, 500000, fhi_shared_malloc, true);
    idle((size_t)500 * MIB, 2 * MIB, 12 * MIB, fhi_shared_malloc, false);
    cap_learns_and_forgets();
    kept_while_waiting();
    shared_by_threads();
    burst();
    edges(500, fhi_shared_malloc);
    edges(60000, fhi_shared_malloc);
    edges(60000, fh_tls_malloc);
    edges(1000000, fhi_shared_malloc);
    edges(2000000, fhi_shared_malloc);
    replaced();
    rounds(16, 2000);
    rounds(30000, 500000);
    rounds(4000000, 4500000); // a kept mapping is used for blocks down to four fifths of it
  }
  trim_others();
  trim_sub_page((size_t)400 * MIB, fhi_shared_malloc);
  trim_sub_page((size_t)40 * MIB, fh_tls_malloc);
  trim_churn();
  return 0;
}
