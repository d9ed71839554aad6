// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// large.c - blocks beyond the classes, alignments, calloc's zeros, realloc in all directions, for both kinds.
#include "heaps.h"

#include "../../runtime/heap/hardened.h"

static const size_t Sizes[] = {32769,   65536,   65537,   200000, 1 << 20, FHI_LARGE_MAX, FHI_LARGE_MAX + 1,
                               4 << 20, 9000001, 40 << 20};
enum { SizeCount = sizeof Sizes / sizeof Sizes[0] };

static void sizes(enum fhi_kind kind) {
  char *kept[SizeCount];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < SizeCount; ++i) {
      kept[i] = kind == FHI_LOCAL ? fhi_local_malloc(Sizes[i]) : fhi_shared_malloc(Sizes[i]);
      CHECK(kept[i] && fhi_usable_size(kept[i]) >= Sizes[i]);
      CHECK(fh_is_local(kept[i]) == (kind == FHI_LOCAL));
      kept[i][0] = kept[i][Sizes[i] - 1] = (char)i;
      struct fhi_block block;
      CHECK(fhi_block_at(kept[i] + Sizes[i] - 1, &block) && block.start == kept[i]);
    }
    for (int i = 0; i < SizeCount; ++i) {
      CHECK(kept[i][0] == i && kept[i][Sizes[i] - 1] == i);
      fhi_free(kept[i]);
    }
    for (int i = 0; i < SizeCount; ++i) {
      char *p = kind == FHI_LOCAL ? fhi_local_calloc(Sizes[i], 1) : fhi_shared_calloc(1, Sizes[i]);
      for (size_t at = 0; at < Sizes[i]; at += 509)
        CHECK(p[at] == 0);
      memset(p, 0xff, Sizes[i]);
      fhi_free(p);
    }
  }
}

// A table of which little is used costs little, however often it is made anew.
static void sparse(enum fhi_kind kind) {
  const size_t size = (size_t)200 << 20;
  for (int round = 0; round < 6; ++round) {
    long before = resident();
    char *p = kind == FHI_LOCAL ? fhi_local_calloc(size, 1) : fhi_shared_calloc(1, size);
    for (size_t at = 0; at < size; at += 20 << 20) {
      CHECK(p && p[at] == 0 && p[at + 5000] == 0);
      p[at] = p[at + 5000] = 1;
    }
    CHECK(resident() < before + (50 << 10));
    fhi_free(p);
  }
}

static void alignments(void *(*allocate)(size_t, size_t)) {
  for (size_t alignment = 1; alignment <= (size_t)64 << 20; alignment *= 2)
    for (size_t size = 0; size <= 6 << 20; size = size * 3 + 1) {
      char *p = allocate(alignment, size), *q = allocate(alignment, size);
      CHECK(p && q && ((uintptr_t)p & (alignment - 1)) == 0 && ((uintptr_t)q & (alignment - 1)) == 0);
      CHECK(fhi_usable_size(p) >= size && p != q);
      if (size) {
        p[0] = q[0] = 1;
        p[size - 1] = q[size - 1] = 2;
      }
      fhi_free(p);
      fhi_free(q);
    }
}

static void reallocs(enum fhi_kind kind) {
  size_t size = 1;
  char *p = fhi_realloc(kind, NULL, size);
  fill(p, size, 3);
  for (int step = 0; step < 60; ++step) {
    size_t next = step < 30 ? size * 2 : size / 2 + 1;
    if (next > 50000000)
      next = 50000000;
    p = fhi_realloc(kind, p, next);
    CHECK(p && fh_is_local(p) == (kind == FHI_LOCAL) && fhi_usable_size(p) >= next);
    CHECK(filled(p, size < next ? size : next, 3));
    fill(p, next, 3);
    size = next;
  }
  CHECK(fhi_realloc(kind, p, 0) == NULL);
}

// A large block grows and shrinks where it lies while the pages behind it are free, and what it gives up can be used.
static void in_place(enum fhi_kind kind) {
  char *pin = fhi_realloc(kind, NULL, 1900000), *p = NULL, *wall = NULL, *moved;
  for (int tries = 0; tries < 100 && (!p || wall != p + 131072); ++tries) { // until two lie side by side, with room behind them
    p = fhi_realloc(kind, NULL, 100000);
    wall = fhi_realloc(kind, NULL, 100000);
  }
  CHECK(wall == p + 131072);
  fill(p, 100000, 9);
  fhi_free(wall);
  CHECK(fhi_realloc(kind, p, 240000) == p && fhi_usable_size(p) >= 240000 && filled(p, 100000, 9));
  fill(p, 240000, 10);
  CHECK(fhi_realloc(kind, p, 70000) == p && filled(p, 70000, 10));
  wall = fhi_realloc(kind, NULL, 60000);
  CHECK(wall == p + 131072);
  fill(wall, 60000, 11);
  moved = fhi_realloc(kind, p, 400000);
  CHECK(moved && moved != p && filled(moved, 70000, 10) && filled(wall, 60000, 11));
  fhi_free(moved);
  fhi_free(wall);
  fhi_free(pin);
}

// A run of pages that ends where its segment ends has nothing to grow into: it moves, contents and all.
static void at_segment_end(enum fhi_kind kind) {
  char *kept[200];
  int count = 0, last = -1;
  if (fhi_hardened())
    return; // its blocks end elsewhere
  for (; count < 200 && last < 0; ++count) {
    kept[count] = fhi_realloc(kind, NULL, 100000);
    fill(kept[count], 100000, (unsigned)count);
    if ((((uintptr_t)kept[count] + fhi_usable_size(kept[count])) & (FHI_SLOT_SIZE - 1)) == 0)
      last = count;
  }
  CHECK(last >= 0);
  for (size_t size = 140000; size < 1000000; size += 200000) {
    kept[last] = fhi_realloc(kind, kept[last], size);
    CHECK(filled(kept[last], 100000, (unsigned)last));
  }
  for (int i = 0; i < count; ++i)
    fhi_free(kept[i]);
}

// A local block grown by plain realloc stays local, a shared one grown by the local realloc stays right.
static void between_kinds(void) {
  char *p = fh_tls_malloc(40), *q = fhi_shared_malloc(40);
  fill(p, 40, 5);
  fill(q, 40, 6);
  for (size_t size = 40; size < 6000000; size = size * 5 / 2) {
    p = fhi_realloc(FHI_SHARED, p, size);
    q = fh_tls_realloc(q, size);
    CHECK(fh_is_local(p) && !fh_is_local(q));
    CHECK(filled(p, 40, 5) && filled(q, 40, 6));
  }
  fhi_free(p);
  fh_tls_free(q);
}

static void stamp(char *p, size_t size, unsigned seed) {
  for (size_t at = 0; at + sizeof at <= size; at += 4096)
    *(size_t *)(void *)(p + at) = at + seed;
}

static void stamped(const char *p, size_t size, unsigned seed) {
  for (size_t at = 0; at + sizeof at <= size; at += 4096)
    CHECK(*(const size_t *)(const void *)(p + at) == at + seed);
}

// Huge blocks of all sizes come and go, so that one's memory becomes a part of another: whole, cut, or put together.
static void replaced(enum fhi_kind kind) {
  enum { Live = 8, Steps = 300 };
  static struct {
    char *block;
    size_t size;
  } live[Live];
  uint64_t random = 88172645463325252u;
  for (unsigned step = 0; step < Steps; ++step) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    unsigned i = random % Live;
    size_t size = ((size_t)(random >> 20) % (step % 50 < 25 ? 6000000 : 20000000) + 2200000) & ~(size_t)7, old = live[i].size;
    if (live[i].block)
      stamped(live[i].block, old, i);
    if (step % 4 == 0) // a mapping too, of little memory
      fhi_free(kind == FHI_LOCAL ? fhi_local_aligned(4 << 20, 100) : fhi_shared_aligned(4 << 20, 100));
    if (live[i].block && step % 3 == 0) {
      live[i].block = fhi_realloc(kind, live[i].block, size);
      stamped(live[i].block, size < old ? size & ~(size_t)4095 : old & ~(size_t)4095, i);
    } else {
      fhi_free(live[i].block);
      if (step % 3 == 1) {
        live[i].block = kind == FHI_LOCAL ? fhi_local_calloc(size, 1) : fhi_shared_calloc(1, size);
        for (size_t at = 0; at < size; at += 1021)
          CHECK(live[i].block[at] == 0);
      } else {
        live[i].block = kind == FHI_LOCAL ? fhi_local_malloc(size) : fhi_shared_malloc(size);
      }
    }
    CHECK(live[i].block && fhi_usable_size(live[i].block) >= size);
    live[i].size = size;
    stamp(live[i].block, size, i);
    for (unsigned other = 0; step % 10 == 0 && other < Live; ++other)
      if (live[other].block)
        stamped(live[other].block, live[other].size, other);
  }
  for (unsigned i = 0; i < Live; ++i) {
    fhi_free(live[i].block);
    live[i].block = NULL;
  }
}

static void *dirty(void *unused) {
  for (enum fhi_kind kind = FHI_SHARED; kind <= FHI_LOCAL; ++kind)
    for (size_t size = 1 << 20; size <= (size_t)5 << 20; size *= 5) {
      char *p = kind == FHI_LOCAL ? fhi_local_malloc(size) : fhi_shared_malloc(size);
      memset(p, 0x5a, size);
      fhi_free(p);
    }
  return unused;
}

// What the ordinary heap kept when the mode became known is not zero for the hardened one either. In a child: there is no way
// back.
static void dirty_when_hardened(void) {
  pid_t child = fork();
  if (child == 0) {
    fhi_hardened_set(FHI_CHECK_OFF);
    dirty(NULL);
    fhi_segments_release(fhi_shared_heap(), 0);
    fhi_segments_release(fhi_local_heap(), 0);
    fhi_hardened_set(FHI_CHECK_ON);
    for (enum fhi_kind kind = FHI_SHARED; kind <= FHI_LOCAL; ++kind)
      for (size_t size = 1 << 20; size <= (size_t)5 << 20; size *= 5) {
        char *p = kind == FHI_LOCAL ? fhi_local_calloc(1, size) : fhi_shared_calloc(size, 1);
        for (size_t at = 0; at < size; at += 64)
          CHECK(p[at] == 0);
      }
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

// Sizes that no address space holds. What waits to be used again still does afterwards, if this takes less than a second.
static void impossible(void) {
  bool kept = fhi_hardened(); // whose huge blocks do not wait
  for (int trial = 0; trial < 5; ++trial) {
    fhi_trim();
    fhi_free(fhi_shared_malloc(5 << 20));
    size_t mapped = fhi_mapped_bytes();
    CHECK(fhi_shared_malloc(SIZE_MAX) == NULL && fhi_shared_malloc(FHI_SIZE_MAX) == NULL);
    CHECK(fhi_shared_malloc((size_t)1 << 60) == NULL && fhi_local_malloc((size_t)1 << FH_RANGE_BITS) == NULL);
    kept |= fhi_mapped_bytes() == mapped;
  }
  CHECK(kept);
  CHECK(fhi_shared_aligned((size_t)1 << 62, 16) == NULL && fhi_shared_calloc(SIZE_MAX / 2, 3) == NULL);
  char *keep = fhi_shared_malloc(100);
  CHECK(fhi_realloc(FHI_SHARED, keep, SIZE_MAX - 10) == NULL);
  fhi_free(keep);
}

int main(void) {
  heaps_start();
  dirty_when_hardened();
  sizes(FHI_SHARED);
  sizes(FHI_LOCAL);
  at_segment_end(FHI_SHARED);
  at_segment_end(FHI_LOCAL);
  sparse(FHI_SHARED);
  sparse(FHI_LOCAL);
  alignments(fhi_shared_aligned);
  alignments(fhi_local_aligned);
  reallocs(FHI_SHARED);
  reallocs(FHI_LOCAL);
  between_kinds();
  replaced(FHI_SHARED);
  replaced(FHI_LOCAL);
  if (!fhi_hardened()) {
    in_place(FHI_SHARED);
    in_place(FHI_LOCAL);
  }
  impossible();
  return 0;
}
