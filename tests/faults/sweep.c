// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sweep.c - every call by which the heap asks the system for something fails once: `sweep` runs itself again and again with
// another one that fails, alone or with all that follow, until there is none left; and with all calls of one name. The program it
// runs allocates both kinds of blocks of all sizes in several threads, marks, resets, forks, trims. It must not crash, hang, or
// lose a byte: each answer is a good block, or NULL with ENOMEM. When calls succeed again everything must be had again.
//
//   sweep [STEP]   of the calls behind the first twenty, each STEPth only
#include "../runtime/heaps.h"

#include "../../runtime/heap/hardened.h"
#include "calls.h"

#include "freehold/stats.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>

enum { NothingFailed = 10, Threads = 3 };

// ---- blocks, each with a pattern in its first and last bytes and at the beginning of each 64 KiB page ----
struct block {
  char *p;
  size_t size;
  unsigned seed;
};

static size_t next_place(size_t at, size_t size) {
  size_t page = (at | 65535) + 1, tail = size > 64 ? size - 64 : 0;
  return at < 64 || at >= tail ? at + 1 : page < tail ? page : tail;
}

static void mark_bytes(char *p, size_t size, unsigned seed) {
  for (size_t at = 0; at < size; at = next_place(at, size))
    p[at] = (char)(seed + at * 7 + 1);
}

static bool marked(const char *p, size_t common, size_t size, unsigned seed) {
  for (size_t at = 0; at < common; at = next_place(at, size))
    if (p[at] != (char)(seed + at * 7 + 1))
      return false;
  return true;
}

static bool whole(const struct block *b) { return !b->p || marked(b->p, b->size, b->size, b->seed); }

static bool Again; // nothing fails any more: NULL is wrong

static bool good(struct block *b, void *p, size_t size) {
  static _Atomic(unsigned) seeds;
  if (!p) {
    CHECK(errno == ENOMEM);
    CHECK(!Again && calls_failed() > 0);
    b->p = NULL;
    return false;
  }
  CHECK(((uintptr_t)p & 15) == 0);
  *b = (struct block){p, size, atomic_fetch_add(&seeds, 1)};
  mark_bytes(p, size, b->seed);
  return true;
}

static void release(struct block *b) {
  CHECK(whole(b));
  errno = 1234;
  fhi_free(b->p);
  CHECK(errno == 1234);
  b->p = NULL;
}

static void all_zero(const char *p, size_t size) {
  uint64_t word = 0;
  for (size_t at = 0; p && word == 0 && at + sizeof word <= size; at += size <= 65536 ? sizeof word : 65536)
    memcpy(&word, p + at, sizeof word);
  CHECK(word == 0);
}

static void resize(struct block *b, size_t size) {
  if (!b->p)
    return;
  size_t common = size < b->size ? size : b->size;
  errno = 0;
  char *p = fhi_realloc(FHI_LOCAL, b->p, size);
  if (!p) {
    CHECK(errno == ENOMEM && !Again && calls_failed() > 0);
    CHECK(size > b->size && whole(b)); // a shrink never fails
    return;
  }
  CHECK(marked(p, common, b->size, b->seed));
  good(b, p, size);
}

static void make(struct block *b, int how, size_t size) {
  errno = 0;
  char *p;
  switch (how) {
  case 0:
    good(b, fh_tls_malloc(size), size);
    break;
  case 1:
    good(b, fhi_shared_malloc(size), size);
    break;
  case 2:
  case 3:
    p = how == 2 ? fh_tls_calloc(1, size) : fhi_shared_calloc(size, 1);
    all_zero(p, size);
    good(b, p, size);
    break;
  case 4:
    p = fh_tls_aligned_alloc(8192, size);
    CHECK(((uintptr_t)p & 8191) == 0);
    good(b, p, size);
    break;
  default:
    p = fhi_shared_aligned(512, size);
    CHECK(((uintptr_t)p & 511) == 0);
    good(b, p, size);
  }
  if (b->p && fh_is_local(b->p))
    fh_check_site(b->p, "a site");
}

static void sizes(void) {
  static const size_t Sizes[] = {16, 1000, 20000, 40000, 150000, 2200000};
  struct block blocks[6][6];
  for (unsigned round = 0; round < 2; ++round) { // the second one on memory that was used
    for (int how = 0; how < 6; ++how)
      for (int i = 0; i < 6; ++i)
        make(&blocks[how][i], how, Sizes[i]);
    for (int how = 0; how < 6; ++how)
      for (int i = 0; i < 6; ++i) {
        resize(&blocks[how][i], i == 5 ? Sizes[i] * 5 / 4 : i % 2 == 0 ? Sizes[i] * 3 : Sizes[i] / 3);
        if (round == 0)
          resize(&blocks[how][i], Sizes[i] / 9 + 1);
      }
    for (int how = 0; how < 6; ++how)
      for (int i = 0; i < 6; ++i)
        release(&blocks[how][i]);
  }
}

// ---- marks ----
static void marks(void) {
  fh_heap_t *heap = fh_heap_self();
  struct block old, young[3];
  make(&old, 0, 5000);
  fh_mark_t first = fh_heap_mark(heap), second;
  CHECK(first.serial != 0 || (!Again && calls_failed() > 0));
  make(&young[0], 0, 700000);
  make(&young[1], 0, 5000000);
  second = fh_heap_mark(heap);
  make(&young[2], 2, 30000);
  for (int i = 0; i < 3; ++i)
    CHECK(whole(&young[i]));
  fh_heap_reset(heap, second);
  if (second.serial == 0)
    release(&young[2]);
  CHECK(whole(&young[0]));
  release(&old);
  fh_heap_reset(heap, first);
  if (first.serial == 0 && second.serial == 0)
    for (int i = 0; i < 2; ++i)
      release(&young[i]);
}

// ---- threads: local blocks that outlive their thread, shared ones that others free ----
enum { Handed = 133 * Threads };
static struct block Hands[Threads][Handed], Mine[Handed];

static void *thread(void *argument) {
  struct block *hands = argument, kept[3];
  for (int i = 0; i < Handed; ++i)
    make(&hands[i], i == 7 ? 5 : 1, i % 50 == 0 ? 50000 : 100);
  for (int i = 0; i < Handed; i += Threads)
    release(&Mine[i + (int)((hands - Hands[0]) / Handed)]);
  make(&kept[0], 0, 24);
  make(&kept[1], 0, 200000);
  make(&kept[2], 0, 6000000);
  marks();
  return NULL;
}

static void threads(void) {
  pthread_t ids[Threads];
  bool started[Threads];
  for (int i = 0; i < Handed; ++i)
    make(&Mine[i], 1, 100);
  memset(Hands, 0, sizeof Hands);
  for (int i = 0; i < Threads; ++i) {
    started[i] = pthread_create(&ids[i], NULL, thread, Hands[i]) == 0;
    CHECK(started[i] || (!Again && calls_failed() > 0));
  }
  for (int i = 0; i < Threads; ++i)
    if (started[i])
      pthread_join(ids[i], NULL);
  for (int i = 0; i < Handed; ++i)
    for (int t = 0; t < Threads; ++t)
      release(&Hands[t][i]);
  for (int i = 0; i < Handed; ++i)
    if (Mine[i].p && !started[i % Threads])
      release(&Mine[i]);
}

// ---- fork ----
static void child(void) {
  alarm(10);
  marks();
  threads();
  _exit(0);
}

static void forks(void) {
  struct block both[2];
  make(&both[0], 0, 3000);
  make(&both[1], 1, 3000);
  pid_t pid = fork();
  if (pid == 0) {
    release(&both[0]);
    release(&both[1]);
    child();
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  release(&both[0]);
  release(&both[1]);
}

static void statistics(void) {
  int fd = open("/dev/null", O_WRONLY);
  fh_stats_print(fd, FH_STATS_JSON);
  close(fd);
}

static void everything(void) {
  sizes();
  marks();
  threads();
  forks();
  fhi_trim();
  statistics();
}

static int one(void) {
  alarm(60);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // to be quick: few bytes are touched
  everything();
  int failed = calls_failed();
  calls_fail(NULL);
  Again = true;
  everything();
  struct block large;
  make(&large, 0, 100 << 20);
  release(&large);
  return failed == 0 ? NothingFailed : 0;
}

// ---- the sweep ----
static int run(const char *self, const char *plan) {
  char fault[64];
  snprintf(fault, sizeof fault, "FAULT=%s", plan);
  char *arguments[] = {(char *)(uintptr_t)self, NULL}, *mode = NULL, *environment[4] = {fault};
  if (getenv("FREEHOLD_CHECK")) {
    static char check[64];
    snprintf(check, sizeof check, "FREEHOLD_CHECK=%s", getenv("FREEHOLD_CHECK"));
    mode = check;
  }
  environment[1] = mode;
  pid_t pid;
  int status;
  CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environment) == 0);
  CHECK(waitpid(pid, &status, 0) == pid);
  if (status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == NothingFailed))
    return WEXITSTATUS(status);
  fprintf(stderr, "FAULT=\"%s\" %s: ends with status %x\n", plan, mode ? mode : "", status);
  return 1;
}

int main(int count, char **arguments) {
  if (getenv("FAULT"))
    return one();
  static const char *const Names[] = {
      "munmap", "mprotect", "madvise", "mincore", "mremap", "getrlimit", "pthread_key_create", "pthread_setspecific", "pthread_atfork"};
  int step = count > 1 ? atoi(arguments[1]) : 1, runs = 0, wrong = 0;
  char plan[32];
  for (unsigned i = 0; i < sizeof Names / sizeof Names[0]; ++i, ++runs) {
    snprintf(plan, sizeof plan, "all %s", Names[i]);
    wrong += run(arguments[0], plan) == 1;
  }
  for (int mode = 0; mode < 2; ++mode)
    for (int number = 1, beyond = 0; beyond < 3 && wrong < 10; number += number < 20 ? 1 : step, ++runs) {
      snprintf(plan, sizeof plan, "%s %d", mode ? "from" : "only", number);
      int result = run(arguments[0], plan);
      wrong += result == 1;
      beyond = result == NothingFailed ? beyond + 1 : 0;
    }
  printf("%d runs, %d wrong\n", runs, wrong);
  CHECK(runs > 60);
  return wrong != 0;
}
