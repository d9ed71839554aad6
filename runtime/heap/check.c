// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check.c - the owner check: was a local block touched by another thread than its own? And the table of allocation sites it
// names.
//
// The table is an open-addressed hash from block to site, one for each local heap, written by its thread only. Another thread
// reads it only on its way to abort; a table that was outgrown stays mapped, so that reader never meets unmapped memory. Entries
// of freed blocks stay and are overwritten when the address is given out again.
#include "check.h"
#include "fast.h"
#include "keys.h"

struct entry {
  _Atomic(const void *) block;
  _Atomic(const char *) site;
};
struct fhi_sites {
  size_t capacity, count; // a power of two
  struct entry entries[];
};

static size_t hash(const void *p) { return ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 20; }

static struct entry *find(struct fhi_sites *sites, const void *block) {
  size_t i = hash(block) & (sites->capacity - 1);
  for (size_t looked = 0; looked < sites->capacity; ++looked, i = (i + 1) & (sites->capacity - 1)) {
    const void *there = atomic_load_explicit(&sites->entries[i].block, memory_order_acquire);
    if (there == block || there == NULL)
      return &sites->entries[i];
  }
  return NULL;
}

static void remember(struct fhi_sites *sites, const void *block, const char *site) {
  struct entry *entry = find(sites, block);
  if (atomic_load_explicit(&entry->block, memory_order_relaxed) == NULL)
    ++sites->count;
  atomic_store_explicit(&entry->site, site, memory_order_relaxed);
  // Release, paired with the acquire in find(): who sees the block sees its site.
  atomic_store_explicit(&entry->block, block, memory_order_release);
}

static struct fhi_sites *grow(struct fhi_heap *heap, struct fhi_sites *old) {
  size_t capacity = old ? old->capacity * 2 : 255 + 1;
  struct fhi_sites *sites = fhi_os_map(sizeof *sites + capacity * sizeof(struct entry));
  if (!sites)
    return NULL;
  sites->capacity = capacity;
  for (size_t i = 0; old && i < old->capacity; ++i) {
    const void *block = atomic_load_explicit(&old->entries[i].block, memory_order_relaxed);
    if (block)
      remember(sites, block, atomic_load_explicit(&old->entries[i].site, memory_order_relaxed));
  }
  atomic_store_explicit(&heap->sites, sites, memory_order_release);
  return sites;
}

FHI_EXPORT void fh_check_site(void *p, const char *site) {
  struct fhi_heap *heap = fhi_self()->local;
  if (!p || !site || heap == &fhi_no_heap || !fhi_in_local_range(p))
    return;
  if (FHI_UNLIKELY(heap->root->key == 0) && fhi_keys_may())
    fhi_keys_join(heap);
  struct fhi_sites *sites = atomic_load_explicit(&heap->sites, memory_order_relaxed);
  if (!sites || sites->count * 2 >= sites->capacity)
    sites = grow(heap, sites);
  if (sites)
    remember(sites, p, site);
}

void fhi_sites_drop(struct fhi_heap *heap) {
  struct fhi_sites *sites = atomic_exchange_explicit(&heap->sites, NULL, memory_order_acq_rel);
  if (sites)
    fhi_os_unmap(sites, sizeof *sites + sites->capacity * sizeof(struct entry));
}

const char *fhi_site_of(const struct fhi_block *block) {
  if (!block->segment || block->segment->kind != FHI_LOCAL || block->dead != 0)
    return NULL;
  struct fhi_sites *sites = atomic_load_explicit(&block->segment->heap->sites, memory_order_acquire);
  struct entry *entry = sites ? find(sites, block->start) : NULL;
  return entry && atomic_load(&entry->block) == block->start ? atomic_load(&entry->site) : NULL;
}

static _Noreturn void stop(const void *p, size_t size, const char *site, int write) {
  struct fhi_block block;
  struct fhi_line line;
  bool known = fhi_block_at(p, &block);
  const char *allocated = known ? fhi_site_of(&block) : NULL;
  fhi_line_start(&line);
  fhi_line_text(&line, write ? "owner check: write of " : "owner check: read of ");
  fhi_line_number(&line, size);
  fhi_line_text(&line, " bytes at ");
  fhi_line_address(&line, p);
  fhi_line_text(&line, " (block ");
  fhi_line_address(&line, known ? block.start : p);
  fhi_line_text(&line, " from ");
  fhi_line_text(&line, allocated ? allocated : "an unknown site");
  fhi_line_text(&line, ", verdict local) by thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_text(&line, " at ");
  fhi_line_text(&line, site ? site : "an unknown place");
  pid_t owner = block.dead ? block.dead : block.segment ? atomic_load(&block.segment->heap->tid) : 0;
  if (owner != 0) {
    fhi_line_text(&line, "; the block belongs to thread ");
    fhi_line_number(&line, (uint64_t)owner);
  } else {
    fhi_line_text(&line, "; the block belongs to a thread that has ended");
  }
  if (block.dead)
    fhi_line_text(&line, ", which has ended");
  fhi_line_stop(&line);
}

// NULL: a huge block that its owner gave up since the slot's state was read, and so another thread's.
static bool in_mine(const struct fhi_segment *segment) {
  const struct fhi_heap *heap = segment ? segment->heap : NULL;
  return heap && (heap == fhi_self()->local || fhi_is_mine(heap));
}

// Is the address in a local block, or free local memory, of another thread?
static bool is_foreign(const void *p) {
  if (FHI_LIKELY(!fhi_in_local_range(p)))
    return false;
  switch (fhi_slot_state(p)) {
  case FHI_SLOT_SEGMENT:
    return !in_mine(fhi_segment_of(p)) || fhi_page_of(p)->state == FHI_PAGE_DEAD;
  case FHI_SLOT_HUGE:
  case FHI_SLOT_HUGE_REST:
    return !in_mine(fhi_huge_of(p));
  default:
    // Unmapped, or of another copy of this runtime: not ours to judge.
    return fhi_slot_retired(p);
  }
}

FHI_EXPORT void fh_check_access(const void *p, size_t size, const char *site, int write) {
  if (size == 0)
    return;
  if (FHI_UNLIKELY(is_foreign(p)))
    stop(p, size, site, write);
  const char *last = (const char *)p + size - 1;
  if (size > 16 && FHI_UNLIKELY(is_foreign(last)))
    stop(last, 1, site, write);
}
