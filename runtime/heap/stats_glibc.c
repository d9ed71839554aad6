// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_glibc.c - the statistics under glibc's names, for mallinfo and malloc_info. What glibc calls an arena are here the
// segments of both kinds; its chunks got by mmap are the huge blocks; a free chunk is a page that holds nothing.
#include "stats.h"
#include "threads.h"

static uint64_t segment_bytes(const fh_stats_heap_t *heap) { return (uint64_t)heap->segments << FHI_SLOT_SHIFT; }
static uint64_t free_pages(const fh_stats_heap_t *heap) { return (uint64_t)heap->segments * FHI_PAGES - heap->pages; }

struct fhi_glibc_info fhi_stats_glibc(void) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  fh_stats_read(&stats);
  const fh_stats_heap_t *local = &stats.local, *shared = &stats.shared;
  struct fhi_glibc_info info = {
      .segment_bytes = segment_bytes(local) + segment_bytes(shared),
      .free_pages = free_pages(local) + free_pages(shared),
      .idle_bytes = local->idle_bytes + shared->idle_bytes,
      .huge_blocks = (uint64_t)local->huge_blocks + shared->huge_blocks,
      .huge_bytes = local->huge_bytes + shared->huge_bytes,
  };
  info.live_bytes = local->live_bytes + shared->live_bytes - info.huge_bytes;
  return info;
}

static void element(struct fhi_text *text, const char *name, const char *type, const uint64_t *count, uint64_t size) {
  fhi_text_add(text, "<");
  fhi_text_add(text, name);
  fhi_text_add(text, " type=\"");
  fhi_text_add(text, type);
  if (count) {
    fhi_text_add(text, "\" count=\"");
    fhi_text_number(text, *count);
  }
  fhi_text_add(text, "\" size=\"");
  fhi_text_number(text, size);
  fhi_text_add(text, "\"/>\n");
}

static void attribute(struct fhi_text *text, const char *name, uint64_t value) {
  fhi_text_add(text, " ");
  fhi_text_add(text, name);
  fhi_text_add(text, "=\"");
  fhi_text_number(text, value);
  fhi_text_add(text, "\"");
}

static void totals(struct fhi_text *text, const fh_stats_heap_t *heap, uint64_t most) {
  uint64_t none = 0, unused = free_pages(heap), huge = heap->huge_blocks;
  element(text, "total", "fast", &none, 0);
  element(text, "total", "rest", &unused, segment_bytes(heap) - (heap->live_bytes - heap->huge_bytes));
  element(text, "total", "mmap", &huge, heap->huge_bytes);
  element(text, "system", "current", NULL, segment_bytes(heap));
  element(text, "system", "max", NULL, most);
  element(text, "aspace", "total", NULL, segment_bytes(heap));
  element(text, "aspace", "mprotect", NULL, segment_bytes(heap));
}

static void add(fh_stats_heap_t *sum, const fh_stats_heap_t *more) {
  sum->live_bytes += more->live_bytes;
  sum->huge_bytes += more->huge_bytes;
  sum->segments += more->segments;
  sum->pages += more->pages;
  sum->huge_blocks += more->huge_blocks;
}

void fhi_stats_xml(struct fhi_text *text) {
  fh_stats_heap_t all = {0};
  uint64_t number = 0;
  fhi_text_add(text, "<malloc version=\"1\">\n");
  fhi_lock();
  struct fhi_mapped mapped = fhi_mapped();
  fhi_stats_gather();
  for (const struct fhi_heap *heap = fhi_heaps_made(); heap; heap = heap->next_made, ++number) {
    fh_stats_heap_t one = {0};
    fhi_stats_add(&one, heap);
    add(&all, &one);
    fhi_text_add(text, "<heap");
    attribute(text, "nr", number);
    fhi_text_add(text, heap->kind == FHI_LOCAL ? " kind=\"local\"" : " kind=\"shared\"");
    if (heap->tally.owned)
      attribute(text, "thread", (uint64_t)atomic_load_explicit(&heap->tid, memory_order_relaxed));
    attribute(text, "live", one.live_bytes);
    attribute(text, "blocks", one.live_blocks);
    fhi_text_add(text, ">\n");
    totals(text, &one, one.peak_page_bytes);
    fhi_text_add(text, "</heap>\n");
  }
  fhi_unlock();
  totals(text, &all, mapped.peak);
  fhi_text_add(text, "</malloc>\n");
}
