// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_read.c - fh_stats_*: the numbers as structures that may grow. Who asks says by size and version which one he knows; he
// gets no more than that.
#include "../os/options.h"
#include "stats.h"
#include "threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint64_t counted(const _Atomic(uint64_t) *counter) { return atomic_load_explicit(counter, memory_order_relaxed); }

void fhi_stats_add(fh_stats_heap_t *sum, const struct fhi_heap *heap) {
  const struct fhi_tally *tally = &heap->tally;
  const struct fhi_counters *counters = &heap->counters;
  uint64_t peak = (uint64_t)atomic_load_explicit(&counters->peak_pages, memory_order_relaxed);
  sum->live_bytes += tally->live_bytes;
  sum->live_blocks += tally->live_blocks;
  sum->page_bytes += (uint64_t)tally->pages << FHI_PAGE_SHIFT;
  sum->huge_bytes += tally->huge_bytes;
  sum->peak_page_bytes += (peak > tally->pages ? peak : tally->pages) << FHI_PAGE_SHIFT;
  sum->idle_bytes += tally->idle_bytes;
  sum->mapped_bytes += tally->mapped_bytes;
  sum->purged_bytes += counted(&counters->purged_bytes);
  sum->remote_sent += counted(&counters->remote_sent);
  sum->remote_received += counted(&counters->remote_received);
  ++sum->heaps;
  sum->segments += tally->segments;
  sum->pages += tally->pages;
  sum->huge_blocks += tally->huge_blocks;
}

static uint32_t idle_since(uint32_t idle, const struct fhi_heap *heap, uint32_t now) {
  uint32_t age = now - atomic_load_explicit(&heap->counters.seen, memory_order_relaxed);
  return age < idle ? age : idle;
}

void fhi_stats_of_thread(fh_stats_thread_t *stats, const struct fhi_thread *thread) {
  uint32_t now = fhi_os_milliseconds(), idle = UINT32_MAX;
  *stats = (fh_stats_thread_t){.size = sizeof *stats, .version = FH_STATS_VERSION, .tid = (uint32_t)thread->tid};
  stats->is_caller = thread == fhi_self()->thread;
  const struct fhi_heap *local = fhi_heap_of(&thread->local), *shared = fhi_heap_of(&thread->shared);
  if (local) {
    fhi_stats_add(&stats->local, local);
    idle = idle_since(idle, local, now);
  }
  if (shared) {
    fhi_stats_add(&stats->shared, shared);
    idle = idle_since(idle, shared, now);
  }
  stats->idle_ms = idle;
}

// All but what the kernel is asked. The global lock is held.
static void read_heaps(fh_stats_t *stats) {
  fhi_stats_gather();
  struct fhi_mapped mapped = fhi_mapped();
  stats->mapped_bytes = mapped.now;
  stats->peak_mapped_bytes = mapped.peak;
  stats->purged_bytes = mapped.unmapped + fhi_os_purged();
  for (const struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all)
    stats->threads += fhi_thread_has_heap(thread);
  for (const struct fhi_heap *heap = fhi_heaps_made(); heap; heap = heap->next_made) {
    fhi_stats_add(heap->kind == FHI_LOCAL ? &stats->local : &stats->shared, heap);
    if (!heap->tally.owned) {
      ++stats->waiting_heaps;
      fhi_stats_add(&stats->waiting, heap);
    }
  }
  uint64_t in_heaps = stats->local.mapped_bytes + stats->shared.mapped_bytes;
  stats->cached_bytes = mapped.now > in_heaps ? mapped.now - in_heaps : 0;
}

// What every version has: the two words at the beginning, and something to fill.
static bool is_known(uint32_t size, uint32_t version) {
  if (size > 2 * sizeof(uint32_t) && version != 0)
    return true;
  errno = EINVAL;
  return false;
}

FHI_EXPORT bool fh_stats_read(fh_stats_t *stats) {
  if (!is_known(stats->size, stats->version))
    return false;
  fh_stats_t all = {.version = FH_STATS_VERSION, .pid = (uint32_t)getpid(), .limit_bytes = fhi_options.limit};
  fhi_lock();
  read_heaps(&all);
  fhi_unlock();
  fhi_os_resident(&all.resident_bytes, &all.peak_resident_bytes);
  all.size = stats->size < sizeof all ? stats->size : (uint32_t)sizeof all;
  memcpy(stats, &all, all.size);
  return true;
}

FHI_EXPORT size_t fh_stats_read_threads(fh_stats_thread_t *threads, size_t count) {
  size_t found = 0, stride = 0;
  if (count != 0) {
    if (!is_known(threads->size, threads->version))
      return 0;
    stride = threads->size;
  }
  fhi_lock();
  fhi_stats_gather();
  for (const struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all) {
    if (!fhi_thread_has_heap(thread))
      continue;
    if (found < count) {
      fh_stats_thread_t one;
      fhi_stats_of_thread(&one, thread);
      one.size = stride < sizeof one ? (uint32_t)stride : (uint32_t)sizeof one;
      memcpy((char *)threads + found * stride, &one, one.size);
    }
    ++found;
  }
  fhi_unlock();
  return found;
}
