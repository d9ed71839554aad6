// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// packed.c - large blocks in a process whose address space is limited: side by side, and otherwise like all others, whoever frees
// them and whatever becomes of their thread.
#include "heaps.h"

#include "../../runtime/heap/large.h"
#include "../../runtime/os/options.h"

#include "freehold/stats.h"

#include <pthread.h>

enum { Count = 200, Rest = 120, Most = 700 };
static const size_t Sizes[] = {33000, 50000, 65537, 100000, 150000, 210000};
static char *Blocks[Most];

static void *allocate(enum fhi_kind kind, size_t size) {
  return kind == FHI_LOCAL ? fhi_local_malloc(size) : fhi_shared_malloc(size);
}

static void *zeroed(enum fhi_kind kind, size_t size) {
  return kind == FHI_LOCAL ? fhi_local_calloc(1, size) : fhi_shared_calloc(size, 1);
}

// How much more is mapped then, with nothing kept before.
static size_t fill_all(enum fhi_kind kind, size_t size, size_t count) {
  fhi_trim();
  size_t before = fhi_mapped_bytes();
  for (size_t i = 0; i < count; ++i) {
    CHECK((Blocks[i] = allocate(kind, size)) != NULL);
    CHECK(fh_is_local(Blocks[i]) == (kind == FHI_LOCAL) && fhi_usable_size(Blocks[i]) >= size);
    fill(Blocks[i], size, (unsigned)i);
  }
  return fhi_mapped_bytes() - before;
}

static void free_all(size_t size, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    CHECK(filled(Blocks[i], size, (unsigned)i));
    fhi_free(Blocks[i]);
  }
}

// All of them, most without a block's memory or address lost; then every other one again, zeroed.
static void side_by_side(enum fhi_kind kind, size_t size) {
  size_t count = (20 << 20) / size;
  CHECK(fill_all(kind, size, count) <= (26 << 20));
  for (size_t i = 0; i < count; i += 2)
    fhi_free(Blocks[i]);
  for (size_t i = 0; i < count; i += 2) {
    char *p = Blocks[i] = zeroed(kind, size);
    for (size_t at = 0; at < size; ++at)
      CHECK(p[at] == 0);
    fill(p, size, (unsigned)i);
  }
  struct fhi_block block;
  for (size_t i = 0; i < count; ++i)
    CHECK(fhi_block_at(Blocks[i] + size - 1, &block) && block.start == Blocks[i]);
  free_all(size, count);
}

static void resized(enum fhi_kind kind) {
  size_t size = 33000;
  char *p = allocate(kind, size);
  fill(p, size, 5);
  for (; size < 3000000; size += size / 3) {
    p = fhi_realloc(kind, p, size + size / 3);
    CHECK(p && filled(p, size, 5));
    fill(p, size + size / 3, 5);
  }
  for (; size > 20000; size -= size / 3) {
    p = fhi_realloc(kind, p, size);
    CHECK(p && filled(p, size, 5));
  }
  fhi_free(p);
}

static void misused(enum fhi_kind kind) {
  char *p = allocate(kind, 50000), *q = allocate(kind, 50000);
  STOPS((fhi_free(p), fhi_free(p)), "double free");
  STOPS(fhi_free(p + 4096), "invalid free");
  fhi_free(p);
  STOPS(fhi_free(p), "double free");
  fhi_free(q);
}

// ---- other threads ----

static void *free_them(void *size) {
  free_all((size_t)size, Count);
  return NULL;
}

static void freed_by_another(void) {
  size_t after = 0;
  for (int round = 0; round < 6; ++round) {
    pthread_t thread;
    fill_all(FHI_SHARED, 50000, Count);
    if (round == 1)
      after = fhi_mapped_bytes();
    CHECK(round < 1 || fhi_mapped_bytes() <= after + FHI_SLOT_SIZE);
    pthread_create(&thread, NULL, free_them, (void *)50000);
    pthread_join(thread, NULL);
  }
}

static void *leave_some(void *kind) {
  fill_all(kind ? FHI_LOCAL : FHI_SHARED, 50000, Count);
  for (size_t i = 1; i < Count; i += 2)
    fhi_free(Blocks[i]);
  return NULL;
}

static void *take_over(void *unused) {
  (void)unused;
  char *mine[Count / 2];
  for (size_t i = 0; i < Count / 2; ++i) {
    CHECK((mine[i] = fhi_shared_malloc(50000)) != NULL);
    memset(mine[i], 0, 50000);
  }
  for (size_t i = 0; i < Count / 2; ++i)
    fhi_free(mine[i]);
  return NULL;
}

static struct fhi_page *run_of(const char *p) {
  struct fhi_block block;
  CHECK(fhi_block_at(p, &block));
  return block.page;
}

// A thread ends while some are live: others go on with its shared ones, of the local ones only the addresses are left.
static void left_behind(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leave_some, NULL);
  pthread_join(thread, NULL);
  // Runs are taken from the orphan's segments, whose vacant blocks come with them; the next thread gets what is left of it.
  char *mine[Rest];
  bool together = false;
  for (size_t i = 0; i < Rest; ++i) {
    CHECK((mine[i] = fhi_shared_malloc(i % 2 ? 300000 : 50000)) != NULL);
    fill(mine[i], 50000, (unsigned)i);
    for (size_t other = 0; other < Count; other += 2)
      together |= run_of(mine[i]) == run_of(Blocks[other]);
  }
  CHECK(together);
  pthread_create(&thread, NULL, take_over, NULL);
  pthread_join(thread, NULL);
  for (size_t i = 0; i < Rest; ++i) {
    CHECK(filled(mine[i], 50000, (unsigned)i));
    fhi_free(mine[i]);
  }
  for (size_t i = 0; i < Count; i += 2) {
    CHECK(filled(Blocks[i], 50000, (unsigned)i));
    fhi_free(Blocks[i]);
  }
  pthread_create(&thread, NULL, leave_some, (void *)1);
  pthread_join(thread, NULL);
  STOPS((fhi_local_malloc(1), fhi_free(Blocks[0])), "wrong thread");
  long before = 0;
  for (int round = 0; round < 12; ++round) {
    pthread_create(&thread, NULL, leave_some, (void *)1);
    pthread_join(thread, NULL);
    if (round == 3)
      before = resident();
  }
  CHECK(resident() < before + 8 * 2500);
}

// ---- marks, trimming, statistics ----

static void dropped_at_once(void) {
  fh_heap_t *heap = fh_heap_self();
  char *older = fhi_local_malloc(50000);
  fill(older, 50000, 9);
  for (int round = 0; round < 20; ++round) {
    fh_mark_t mark = fh_heap_mark(heap);
    fill_all(FHI_LOCAL, 50000, Count);
    if (round == 10)
      fhi_free(older);
    fh_heap_reset(heap, mark);
    CHECK(round >= 10 || filled(older, 50000, 9));
  }
}

static void trimmed(enum fhi_kind kind) {
  long before, kept;
  fill_all(kind, 100000, Count);
  before = resident();
  for (size_t i = 0; i < Count; i += 2)
    fhi_free(Blocks[i]);
  CHECK(fhi_trim() != 0);
  kept = resident();
#ifndef FREEHOLD_SANITIZED
  CHECK(kept < before - Count / 2 * 90);
#else
  CHECK(kept <= before);
#endif
  for (size_t i = 0; i < Count; ++i)
    if (i % 2 == 0)
      CHECK((Blocks[i] = zeroed(kind, 100000)) != NULL && Blocks[i][0] == 0 && Blocks[i][99999] == 0);
    else
      CHECK(filled(Blocks[i], 100000, (unsigned)i));
  for (size_t i = 0; i < Count; ++i)
    fhi_free(Blocks[i]);
}

static uint64_t live_blocks(void) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  CHECK(fh_stats_read(&stats));
  return stats.shared.live_blocks;
}

static void counted(void) {
  uint64_t before = live_blocks();
  fill_all(FHI_SHARED, 150000, 100);
  CHECK(live_blocks() == before + 100);
  free_all(150000, 100);
  CHECK(live_blocks() == before);
}

// Shared blocks of the two classes that fill a page badly are packed; they are as aligned as their class is.
static void classes(void) {
  for (size_t i = 0; i < Most; ++i) {
    Blocks[i] = i % 2 ? fhi_shared_aligned(8192, 24000) : fhi_shared_malloc(24000);
    CHECK(Blocks[i] && (i % 2 == 0 || ((uintptr_t)Blocks[i] & 8191) == 0));
    CHECK(run_of(Blocks[i])->state == FHI_PAGE_PACKED);
    fill(Blocks[i], 24000, (unsigned)i);
  }
  free_all(24000, Most);
}

int main(void) {
  heaps_start();
  fhi_options.limit = (size_t)96 << 20;
  // Now so much is mapped that it is scarce, whatever is kept.
  char *large[2] = {fhi_shared_malloc(8 << 20), fhi_shared_malloc(1 << 20)};
  fhi_free(fhi_local_malloc(3 << 20));
  CHECK(fhi_is_scarce());
  for (enum fhi_kind kind = FHI_SHARED; kind <= FHI_LOCAL; ++kind) {
    for (size_t i = 0; i < sizeof Sizes / sizeof Sizes[0]; ++i)
      side_by_side(kind, Sizes[i]);
    resized(kind);
    misused(kind);
    trimmed(kind);
  }
  classes();
  counted();
  freed_by_another();
  left_behind();
  dropped_at_once();
  fhi_free(large[0]);
  fhi_free(large[1]);
  return 0;
}
