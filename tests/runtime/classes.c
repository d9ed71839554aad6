// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// classes.c - size classes, exhaustively: every request up to the largest class gets the smallest class that holds it, in both
// heaps, and neighbours do not overlap.
#include "heaps.h"

#include "../../runtime/heap/hardened.h"

static void arithmetic(void) {
  for (size_t size = 0; size <= FH_CLASSED_MAX; ++size) {
    uint32_t class = fh_class_of(size);
    CHECK(class < FH_CLASS_COUNT);
    CHECK(fh_class_size(class) >= size);
    CHECK(fh_class_size(class) % 16 == 0);
    CHECK(class == 0 || fh_class_size(class - 1) < size);
  }
}

static void blocks(void *(*allocate)(size_t)) {
  for (size_t size = 0; size <= FH_CLASSED_MAX; size += size < 2048 ? 1 : 61) {
    char *p = allocate(size), *q = allocate(size);
    CHECK(p && q && p != q);
    CHECK(((uintptr_t)p & 15) == 0);
    // The hardened heap lets nobody use more than was asked for.
    CHECK(fhi_usable_size(p) == (fhi_hardened() ? size : fh_class_size(fh_class_of(size))));
    fill(p, fhi_usable_size(p), 1);
    fill(q, fhi_usable_size(q), 2);
    CHECK(filled(p, fhi_usable_size(p), 1));
    fhi_free(p);
    CHECK(filled(q, size, 2));
    fhi_free(q);
  }
}

// Fill several pages of each class, free every second one, refill, check all.
static void pages(void *(*allocate)(size_t)) {
  for (uint32_t class = 0; class < FH_CLASS_COUNT; ++class) {
    size_t size = fh_class_size(class), count = 3 * FHI_PAGE_SIZE / size + 5;
    char **kept = allocate(count * sizeof *kept);
    for (int round = 0; round < 3; ++round) {
      for (size_t i = round == 0 ? 0 : 1; i < count; i += round == 0 ? 1 : 2)
        fill(kept[i] = allocate(size), size, (unsigned)i);
      for (size_t i = 0; i < count; ++i)
        CHECK(filled(kept[i], size, (unsigned)i));
      for (size_t i = 1; i < count && round < 2; i += 2)
        fhi_free(kept[i]);
    }
    for (size_t i = 0; i < count; ++i)
      fhi_free(kept[i]);
    fhi_free(kept);
  }
}

// Memory of one class serves another once its blocks are free, and trimming gives all of it back.
static void reuse(void *(*allocate)(size_t), struct fhi_heap *heap) {
  static void *blocks[40000];
  size_t before = fhi_mapped_bytes();
  for (size_t size = 16; size <= 800; size += 16) {
    int count = (int)((8u << 20) / size) < 40000 ? (int)((8u << 20) / size) : 40000;
    for (int i = 0; i < count; ++i)
      CHECK((blocks[i] = allocate(size)) != NULL);
    for (int i = 0; i < count; ++i)
      fhi_free(blocks[i]);
  }
  CHECK(fhi_mapped_bytes() <= before + (28u << 20));
  fhi_heap_trim(heap);
  CHECK(fhi_mapped_bytes() <= before + (8u << 20));
}

int main(void) {
  heaps_start();
  arithmetic();
  blocks(fhi_shared_malloc);
  blocks(fhi_local_malloc);
  pages(fhi_shared_malloc);
  pages(fhi_local_malloc);
  reuse(fhi_shared_malloc, fhi_shared_heap());
  reuse(fhi_local_malloc, fhi_local_heap());
  return 0;
}
