// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats.c - the statistics: what this thread allocates is counted exactly, what others hold at most to a page a class; peaks,
// given-back memory, threads that come and go; both printers; structures that are smaller than the library's.
#include "heaps.h"

#include "freehold/stats.h"

#include <errno.h>
#include <pthread.h>

static fh_stats_t read_all(void) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  CHECK(fh_stats_read(&stats) && stats.size == sizeof stats && stats.version == FH_STATS_VERSION);
  return stats;
}

enum { Blocks = 5000 };
static void *Held[Blocks];

// Live bytes and blocks of the calling thread go up and down by what it allocates and frees, to the byte.
static void exact(enum fhi_kind kind) {
  static const size_t Sizes[] = {16, 48, 1024, 5000, 32768, 100000, 5000000};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; ++s) {
    unsigned count = Sizes[s] > 40000 ? 20 : Blocks / (1 + (unsigned)(Sizes[s] / 1000));
    fh_stats_t before = read_all();
    size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
      Held[i] = kind == FHI_LOCAL ? fhi_local_malloc(Sizes[s]) : fhi_shared_malloc(Sizes[s]);
      CHECK(Held[i]);
      bytes += fhi_usable_size(Held[i]);
    }
    fh_stats_t full = read_all();
    const fh_stats_heap_t *was = kind == FHI_LOCAL ? &before.local : &before.shared;
    const fh_stats_heap_t *is = kind == FHI_LOCAL ? &full.local : &full.shared;
    CHECK(is->live_blocks == was->live_blocks + count && is->live_bytes == was->live_bytes + bytes);
    CHECK(is->page_bytes + is->huge_bytes >= is->live_bytes && is->page_bytes == (uint64_t)is->pages * 65536);
    CHECK(is->peak_page_bytes >= is->page_bytes && is->peak_page_bytes < 100 << 20);
    CHECK(is->mapped_bytes >= is->page_bytes + is->huge_bytes);
    CHECK(is->huge_blocks == was->huge_blocks + (Sizes[s] > 2097152 ? count : 0));
    CHECK(full.mapped_bytes >= is->mapped_bytes && full.peak_mapped_bytes >= full.mapped_bytes);
    for (unsigned i = 0; i < count; i += 2) {
      bytes -= fhi_usable_size(Held[i]);
      fhi_free(Held[i]);
    }
    fh_stats_t half = read_all();
    is = kind == FHI_LOCAL ? &half.local : &half.shared;
    CHECK(is->live_blocks == was->live_blocks + count / 2 && is->live_bytes == was->live_bytes + bytes);
    for (unsigned i = 1; i < count; i += 2)
      fhi_free(Held[i]);
    fh_stats_t after = read_all();
    is = kind == FHI_LOCAL ? &after.local : &after.shared;
    CHECK(is->live_blocks == was->live_blocks && is->live_bytes == was->live_bytes);
    CHECK(is->peak_page_bytes >= (kind == FHI_LOCAL ? full.local : full.shared).page_bytes);
  }
}

// Free blocks in the heads of what lies below a mark are free still.
static void below_a_mark(void) {
  for (int i = 0; i < 1000; ++i)
    Held[i] = fhi_local_malloc(100);
  for (int i = 0; i < 1000; ++i)
    fhi_free(Held[i]);
  fh_stats_t before = read_all();
  fh_mark_t mark = fh_heap_mark(fh_heap_self());
  void *p = fhi_local_malloc(100);
  fh_stats_t marked = read_all();
  CHECK(p && marked.local.live_blocks == before.local.live_blocks + 1);
  fh_heap_reset(fh_heap_self(), mark);
  CHECK(read_all().local.live_bytes == before.local.live_bytes);
}

static pthread_barrier_t Barrier;
static pid_t Other;

static void *other(void *unused) {
  void *local[100], *shared[200];
  for (int i = 0; i < 100; ++i) {
    local[i] = fhi_local_malloc(2000);
    shared[i] = fhi_shared_malloc(300);
    shared[100 + i] = fhi_shared_malloc(300);
  }
  for (int i = 100; i < 200; ++i)
    fhi_free(shared[i]);
  Other = fhi_os_tid();
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 100; ++i)
    fhi_free(local[i]);
  (void)shared; // they outlive the thread
  return unused;
}

// Another thread is seen by its own numbers while it lives, and its heaps as waiting ones when it has ended.
static void threads(void) {
  pthread_t thread;
  fh_stats_thread_t all[4] = {{.size = sizeof *all, .version = FH_STATS_VERSION}};
  fh_stats_t before = read_all();
  CHECK(before.threads == 1 && fh_stats_read_threads(NULL, 0) == 1);
  CHECK(pthread_barrier_init(&Barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, other, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(fh_stats_read_threads(all, 4) == 2);
  fh_stats_thread_t *mine = all[0].is_caller ? &all[0] : &all[1], *his = all[0].is_caller ? &all[1] : &all[0];
  CHECK(mine->is_caller && !his->is_caller && (pid_t)mine->tid == fhi_os_tid() && (pid_t)his->tid == Other);
  CHECK(his->size == sizeof *all && his->version == FH_STATS_VERSION && his->idle_ms < 60000);
  // At most what a page holds is more than true.
  CHECK(his->local.live_bytes >= 100 * 2000 && his->local.live_bytes < 100 * 2048 + 65536);
  // What it has freed itself is free, in a current page as well: only what is left of 4 KiB lies ready in the head.
  CHECK(his->shared.live_blocks < 100 + 40);
  CHECK(his->shared.live_blocks >= 100 && his->local.pages >= 3 && his->local.heaps == 1);
  CHECK(read_all().threads == 2 && read_all().waiting_heaps == before.waiting_heaps);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  fh_stats_t after = read_all();
  CHECK(after.threads == 1 && after.waiting_heaps == before.waiting_heaps + 2);
  CHECK(after.waiting.live_blocks >= before.waiting.live_blocks + 100);
  pthread_barrier_destroy(&Barrier);
}

static void *free_all(void *unused) {
  fhi_free(fhi_shared_malloc(1));
  for (int i = 0; i < 1000; ++i)
    fhi_free(Held[i]);
  pthread_barrier_wait(&Barrier); // it is counted while it lives
  pthread_barrier_wait(&Barrier);
  return unused;
}

// Blocks that another thread frees: it has sent them, and they come home when this heap next needs some.
static void remote(void) {
  pthread_t thread;
  fh_stats_thread_t all[2] = {{.size = sizeof *all, .version = FH_STATS_VERSION}};
  for (int i = 0; i < 1000; ++i)
    Held[i] = fhi_shared_malloc(200);
  fh_stats_t before = read_all();
  CHECK(pthread_barrier_init(&Barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, free_all, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(fh_stats_read_threads(all, 2) == 2);
  const fh_stats_thread_t *his = all[0].is_caller ? &all[1] : &all[0];
  // Less what it still holds back: at most 32 KiB.
  CHECK(his->shared.remote_sent <= 1000 && his->shared.remote_sent >= 1000 - 32768 / 208 - 1);
  CHECK(his->shared.remote_received == 0);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  CHECK(read_all().shared.remote_sent == before.shared.remote_sent + 1000);
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
  fhi_free(fhi_shared_malloc(1)); // the hardened heap drains by itself
  fh_stats_t after = read_all();
  CHECK(after.shared.remote_received == before.shared.remote_received + 1000);
  CHECK(after.shared.live_blocks == before.shared.live_blocks - 1000);
  pthread_barrier_destroy(&Barrier);
}

// A page that gave system pages back and is in use again: the free blocks there are no live ones.
static void trimmed(void) {
  for (int i = 0; i < 1000; ++i)
    CHECK((Held[i] = fhi_shared_malloc(330)) != NULL);
  uint64_t before = read_all().shared.live_blocks;
  for (int i = 0; i < 1000; ++i)
    if (i % 100 != 0)
      fhi_free(Held[i]);
  fhi_trim();
  void *p = fhi_shared_malloc(330);
  CHECK(read_all().shared.live_blocks == before - 990 + 1);
  fhi_free(p);
  for (int i = 0; i < 1000; i += 100)
    fhi_free(Held[i]);
}

static atomic_bool Enough;

// Pages become runs and runs pages, which says another thing with the same words of their descriptors.
static void *turn(void *unused) {
  enum { Pages = 40 };
  void *held[Pages];
  while (!atomic_load(&Enough)) {
    for (int i = 0; i < Pages; ++i)
      held[i] = fhi_shared_malloc(40000);
    for (int i = 0; i < Pages; ++i)
      fhi_free(held[i]);
    for (int i = 0; i < Pages; ++i)
      held[i] = fhi_shared_malloc(i % 2 == 0 ? 20000 : 32000);
    for (int i = 0; i < Pages; ++i)
      fhi_free(held[i]);
  }
  return unused;
}

static void *churn(void *unused) {
  void *held[300] = {NULL};
  for (unsigned i = 0, seed = 1; !atomic_load(&Enough); i = (i + 1) % 300) {
    seed = seed * 1103515245 + 12345;
    size_t size = (seed >> 8) % (i % 50 == 0 ? 3000000 : 3000);
    fhi_free(held[i]);
    held[i] = i % 2 == 0 ? fhi_local_malloc(size) : fhi_shared_malloc(size);
  }
  for (unsigned i = 0; i < 300; ++i)
    fhi_free(held[i]);
  return unused;
}

// Others go on while the numbers are gathered: they stay within what is possible.
static void racing(void) {
  static char text[1 << 16];
  pthread_t thread[3];
  for (int i = 0; i < 3; ++i)
    CHECK(pthread_create(&thread[i], NULL, i == 0 ? turn : churn, NULL) == 0);
  uint32_t until = fhi_os_milliseconds() + 500;
  while ((int32_t)(fhi_os_milliseconds() - until) < 0) {
    fh_stats_t stats = read_all();
    CHECK(stats.threads >= 1 && stats.threads <= 4);
    CHECK(stats.local.live_bytes < 1 << 30 && stats.shared.live_bytes < 1 << 30);
    CHECK(stats.mapped_bytes < 2u << 30 && stats.mapped_bytes <= stats.peak_mapped_bytes);
    CHECK(fh_stats_format(text, sizeof text, FH_STATS_JSON) < sizeof text);
  }
  atomic_store(&Enough, true);
  for (int i = 0; i < 3; ++i)
    pthread_join(thread[i], NULL);
}

static void given_back(void) {
  void *p = fhi_shared_malloc(20 << 20);
  CHECK(p);
  memset(p, 1, 20 << 20);
  fh_stats_t before = read_all();
  CHECK(before.resident_bytes >= 20 << 20 && before.peak_resident_bytes >= before.resident_bytes);
  fhi_free(p);
  fhi_shared_heap()->idle.lent = 1000; // pages: nothing is purged by itself
  for (int i = 0; i < 1000; ++i)
    Held[i] = fhi_shared_malloc(4096);
  for (int i = 0; i < 1000; ++i)
    fhi_free(Held[i]);
  CHECK(read_all().shared.idle_bytes >= 50 * 65536);
  fhi_trim();
  fh_stats_t after = read_all();
  CHECK(after.shared.idle_bytes == 0);
  CHECK(after.purged_bytes >= before.purged_bytes + (20 << 20) + 50 * 65536);
  CHECK(after.peak_mapped_bytes >= before.mapped_bytes);
}

// A caller that knows less gets less; one that knows nothing is told so.
static void versions(void) {
  struct {
    uint32_t size, version, pid, threads, behind;
  } old = {.size = 16, .version = 1, .behind = 77};
  CHECK(fh_stats_read((fh_stats_t *)(void *)&old) && old.size == 16 && (pid_t)old.pid == getpid() && old.threads == 1);
  CHECK(old.behind == 77);
  errno = 0;
  fh_stats_t none = {.size = 0, .version = FH_STATS_VERSION};
  CHECK(!fh_stats_read(&none) && errno == EINVAL);
  struct {
    fh_stats_thread_t thread;
    uint64_t later;
  } larger[2] = {{{.size = sizeof *larger, .version = 9}, 5}, {{0}, 6}};
  CHECK(fh_stats_read_threads(&larger[0].thread, 2) == 1);
  CHECK(larger[0].thread.size == sizeof(fh_stats_thread_t) && larger[0].thread.version == 1 && larger[0].later == 5 &&
        larger[1].later == 6);
}

static void printers(void) {
  static char whole[1 << 16], part[100], printed[1 << 16];
  for (fh_stats_form_t form = FH_STATS_TEXT; form <= FH_STATS_JSON; ++form) {
    size_t length = fh_stats_format(whole, sizeof whole, form);
    CHECK(length > 200 && length < sizeof whole && strlen(whole) == length && whole[length - 1] == '\n');
    CHECK(strstr(whole, form == FH_STATS_TEXT ? "freehold: statistics of process" : "{\"schema\":\"freehold-stats/1\",\"pid\":"));
    size_t again = fh_stats_format(part, sizeof part, form);
    CHECK(again > length - 100 && again < length + 100 && strlen(part) == sizeof part - 1);
    CHECK(fh_stats_format(NULL, 0, form) > length - 100);
    int ends[2];
    CHECK(pipe(ends) == 0 && fh_stats_print(ends[1], form) == 0);
    close(ends[1]);
    ssize_t got = read(ends[0], printed, sizeof printed);
    close(ends[0]);
    CHECK(got > (ssize_t)length - 100 && memcmp(printed, whole, 20) == 0);
  }
  errno = 0;
  CHECK(fh_stats_print(-1, FH_STATS_TEXT) == -1 && errno == EBADF);
}

int main(void) {
  heaps_start();
  fhi_free(fhi_shared_malloc(1));
  exact(FHI_SHARED);
  exact(FHI_LOCAL);
  below_a_mark();
  threads();
  remote();
  racing();
  given_back();
  trimmed();
  versions();
  printers();
  return 0;
}
