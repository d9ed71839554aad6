// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// outbox.c - blocks of other heaps that a thread frees are gathered, and handed over in batches: remote.c has the protocol.
//
// A free sets one bit in a table of this thread's own: `gathered` holds words of pages' bitmaps, up to 64 blocks each. The freed
// block is not touched, and what is freed in about the order in which it was allocated ends in few words. A word that has to make
// room, and all of them once enough bytes are gathered, go to the outbox of the page's owner: into a carrier, as the page's start
// with the word's number and the bits, or as the address of a block where there is but one. Where blocks turn out to be freed in
// no order, so that words go with few bits in them, they are more work than addresses: then blocks are kept here for a while
// (keep.c), or it is addresses.
#include "fast.h"
#include "threads.h"

#include <errno.h>

enum {
  Gathered = 65536,     // bytes that a thread holds back at most: as bits, and in each outbox as addresses
  GatherMax = 4096,     // a larger block is pushed at once
  CarrierWords = 64,    // of a large carrier, that many are used
  Tried = 64,           // so many words tell
  Worth = 5,            // whether this many bits are in one on average; if not, blocks go as addresses for a while
  FirstHeapChance = 64, // one in so many frees makes a heap for a thread without: outboxes pay only for threads that free much
};

static struct fhi_outbox *outbox_for(struct fhi_heap *mine, const struct fhi_heap *owner) {
  return &mine->outboxes[fhi_heap_hash(owner, FHI_OUTBOX_BITS)];
}

static inline uintptr_t word_of(const struct fhi_page *page, uint64_t index) { return (uintptr_t)page + index / 64; }

// By class and owner: blocks are mostly freed in about the order in which they were allocated, so of a class one word at a time
// is filled, or the end of one and the beginning of the next.
static inline struct fhi_gathered *gathered_for(struct fhi_heap *mine, const struct fhi_page *page, uintptr_t word) {
  return &mine->gathered[page->gather ^ (word & 1)];
}

static void carrier_close(struct fhi_outbox *outbox) {
  *outbox->first |= (uintptr_t)(outbox->place - outbox->first - 1) << FHI_CARRIER_SHIFT;
}

static void carrier_open(struct fhi_outbox *outbox, void *p, size_t size) {
  uintptr_t *carrier = p;
  if (outbox->first)
    carrier_close(outbox);
  else
    outbox->last = carrier;
  *carrier = (uintptr_t)outbox->first;
  outbox->first = carrier;
  outbox->place = carrier + 1;
  outbox->end = carrier + (size < CarrierWords * sizeof(void *) ? size / sizeof(void *) : CarrierWords);
}

// The outbox is empty before anything is called.
static void outbox_flush(struct fhi_outbox *outbox, bool visit) {
  struct fhi_heap *owner = outbox->owner;
  if (!owner)
    return;
  uintptr_t *first = outbox->first, *last = outbox->last;
  carrier_close(outbox);
  *outbox = (struct fhi_outbox){0};
  fhi_remote_push(owner, first, last, visit);
}

static void outbox_claim(struct fhi_outbox *outbox, struct fhi_heap *owner, bool visit) {
  if (outbox->owner == owner)
    return;
  outbox_flush(outbox, visit);
  outbox->owner = owner;
  outbox->left = Gathered;
}

// A word with so many bits goes: is gathering worth it?
static void count_bits(struct fhi_heap *mine, unsigned bits) {
  fhi_count(&mine->counters.remote_sent, bits);
  mine->tried_bits += bits;
  if (++mine->tried < Tried)
    return;
  mine->addresses = mine->tried_bits < Tried * Worth ? fhi_keep_start(mine) : 0;
  mine->tried = mine->tried_bits = 0;
}

// Blocks of one word go to their owner's outbox.
static void gathered_pack(struct fhi_heap *mine, struct fhi_gathered *gathered, bool visit) {
  uintptr_t word = gathered->word, number = word % sizeof(struct fhi_page);
  uint64_t bits = gathered->bits;
  struct fhi_page *page = (struct fhi_page *)(word - number);
  struct fhi_heap *owner = fhi_page_owner(page); // another than when they were freed, perhaps
  struct fhi_outbox *outbox = outbox_for(mine, owner);
  size_t size = page->block;
  char *start = fhi_page_start(page), *base = start + number * 64 * size;
  gathered->word = 0;
  mine->gathering &= ~((uint64_t)1 << (gathered - mine->gathered));
  count_bits(mine, (unsigned)__builtin_popcountll(bits));
  outbox_claim(outbox, owner, visit);
  while (bits != 0) {
    ptrdiff_t room = outbox->end - outbox->place;
    if (room >= 2 && (bits & (bits - 1)) != 0) {
      *outbox->place++ = (uintptr_t)start | number * FHI_CARRIED_WORD | FHI_CARRIED_BITS;
      *outbox->place++ = bits;
      return;
    }
    char *p = base + (size_t)__builtin_ctzll(bits) * size;
    bits &= bits - 1;
    if (room != 0)
      *outbox->place++ = (uintptr_t)p;
    else
      carrier_open(outbox, p, size);
  }
}

void fhi_outboxes_flush(struct fhi_heap *heap, bool visit) {
  while (heap->gathering != 0)
    gathered_pack(heap, &heap->gathered[__builtin_ctzll(heap->gathering)], visit);
  heap->gather_left = Gathered;
  for (unsigned i = 0; i < FHI_OUTBOXES; ++i)
    outbox_flush(&heap->outboxes[i], visit);
}

// A thread without a heap pushes each block, unless it frees many.
static struct fhi_heap *heap_to_gather(const void *p) {
  struct fhi_heap *mine = fhi_self()->shared;
  if (mine == &fhi_no_heap) {
    if ((uint32_t)((uintptr_t)p >> 4) * 0x9e3779b1u >= UINT32_MAX / FirstHeapChance || !fhi_free_may_make_heap())
      return NULL;
    int saved = errno;
    mine = fhi_shared_heap();
    errno = saved;
  }
  return mine && atomic_load_explicit(&mine->state, memory_order_relaxed) == FHI_OWNED ? mine : NULL;
}

// A block as an address, where its owner's outbox is another's or full, or has no room in its carrier.
void fhi_outbox_add(struct fhi_heap *mine, struct fhi_page *page, void *p, bool visit) {
  struct fhi_heap *owner = fhi_page_owner(page);
  struct fhi_outbox *outbox = outbox_for(mine, owner);
  size_t size = page->block;
  if (outbox->left < (ptrdiff_t)size)
    outbox_flush(outbox, visit);
  outbox_claim(outbox, owner, visit);
  outbox->left -= (ptrdiff_t)size;
  fhi_count(&mine->counters.remote_sent, 1);
  if (outbox->place != outbox->end)
    *outbox->place++ = (uintptr_t)p | FHI_CARRIED_LOOSE;
  else
    carrier_open(outbox, p, size);
}

// Where gather has no place for the block: it is no shared one of a class, or its word is not in the table, or there
// is enough in it; or there is no room for its address.
static FHI_NOINLINE void gather_more(void *p, struct fhi_page *page, struct fhi_heap *heap) {
  uint64_t product = ((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * (uint64_t)page->inverse;
  uintptr_t word = word_of(page, product >> 32);
  uint64_t bit = (uint64_t)1 << (product >> 32 & 63);
  struct fhi_heap *owner = fhi_page_owner(page); // or a thread pointer, if the block is local
  if (FHI_UNLIKELY(owner == NULL) || FHI_UNLIKELY(!fhi_is_shared(p)) || FHI_UNLIKELY(!fhi_is_block_start(page, p))) {
    fhi_free_slow(p);
    return;
  }
  size_t size = page->block;
  struct fhi_heap *mine = size <= GatherMax ? heap_to_gather(p) : NULL;
  if (!mine || mine == owner) {
    fhi_remote_free(owner, p);
    return;
  }
  if (mine->addresses != 0) {
    --mine->addresses;
    fhi_outbox_add(mine, page, p, true);
    return;
  }
  struct fhi_gathered *gathered = gathered_for(mine, page, word);
  if (gathered->word == word && (gathered->bits & bit) != 0)
    fhi_stop_double_free(p);
  if (mine->gather_left < (ptrdiff_t)size)
    fhi_outboxes_flush(mine, true);
  else if (gathered->word && gathered->word != word)
    gathered_pack(mine, gathered, true);
  mine->gather_left -= (ptrdiff_t)size;
  if (gathered->word) {
    gathered->bits |= bit;
    return;
  }
  gathered->word = word;
  gathered->bits = bit;
  mine->gathering |= (uint64_t)1 << (gathered - mine->gathered);
}

// In an outbox are only blocks of shared heaps, and only a heap that may gather has a place in one.
static FHI_NOINLINE void address(void *p, struct fhi_page *page, struct fhi_heap *mine) {
  struct fhi_heap *owner = fhi_page_owner(page);
  struct fhi_outbox *outbox = outbox_for(mine, owner);
  uintptr_t *place = outbox->place;
  ptrdiff_t left = outbox->left - (ptrdiff_t)page->block;
  if (FHI_UNLIKELY(outbox->owner != owner) || FHI_UNLIKELY(place == outbox->end) || FHI_UNLIKELY(left < 0) ||
      FHI_UNLIKELY(!fhi_is_block_start(page, p))) {
    gather_more(p, page, mine);
    return;
  }
  --mine->addresses;
  outbox->left = left;
  outbox->place = place + 1;
  *place = (uintptr_t)p | FHI_CARRIED_LOOSE;
  fhi_count(&mine->counters.remote_sent, 1);
}

// free() of a block that is not in a page of this thread's heap, while that keeps none. Whether p's page is of a class and shared
// need not be looked at where its word is in the table: a block of it waits there, and that counts as used.
static inline void gather(void *p, struct fhi_page *page, struct fhi_heap *mine) {
  uint64_t product = ((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * (uint64_t)page->inverse;
  uintptr_t word = word_of(page, product >> 32);
  uint64_t bit = (uint64_t)1 << (product >> 32 & 63);
  struct fhi_gathered *gathered = gathered_for(mine, page, word);
  if (FHI_UNLIKELY(gathered->word != word) || FHI_UNLIKELY((uint32_t)product >= page->inverse) ||
      FHI_UNLIKELY((gathered->bits & bit) != 0) || FHI_UNLIKELY((mine->gather_left -= (ptrdiff_t)page->block) < 0)) {
    gather_more(p, page, mine);
    return;
  }
  gathered->bits |= bit;
}

// Every instruction counts where the heap keeps: see keep.c.
FHI_NOINLINE void fhi_free_elsewhere(void *p, struct fhi_page *page, struct fhi_heap *heap) {
  if (FHI_LIKELY(!heap->keep.on)) {
    if (FHI_UNLIKELY(heap->addresses != 0))
      address(p, page, heap);
    else
      gather(p, page, heap);
    return;
  }
  unsigned kept = page->kept;
  if (FHI_UNLIKELY((int32_t)--heap->keep.room[kept] < 0) || FHI_UNLIKELY(!fhi_is_block_start(page, p)) ||
      FHI_UNLIKELY(heap->heads[kept - 1] == p)) {
    fhi_keep_more(p, page, heap);
    return;
  }
  *(void **)p = heap->heads[kept - 1];
  heap->heads[kept - 1] = p;
}
