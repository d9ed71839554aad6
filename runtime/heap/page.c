// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// page.c - pages of one size class: carving, the current page, full and empty ones. See heap.h for the accounting.
//
// A free puts a block into its page's own list, of the current page as of any other, and a head that has run dry is filled from
// there first. (Lists of their own for what is given out and for what comes back: Leijen, Zorn, de Moura, "Mimalloc: Free List
// Sharding in Action", APLAS 2019, section 2.4.) So where the block goes is known from its address alone. A processor that must
// wait for a load to know where a store goes holds back loads behind it that may be of the same place: larson took 16 to 18 %
// longer where the current page's blocks went to the head.
#include "fast.h"
#include "large.h"

#include <string.h>

enum {
  Extent = 4096,  // carved at a time, so that a page costs memory only as it fills
  BurstFrom = 9,  // pages for one class; those before it came one by one
  PoolSearch = 8, // how far into the pool to look for a page that was of the same class: its free list is still good
};

static void room_add(struct fhi_heap *heap, struct fhi_page *page) {
  page->previous = NULL;
  page->next = heap->room[page->class];
  if (page->next)
    page->next->previous = page;
  heap->room[page->class] = page;
}

static void room_remove(struct fhi_heap *heap, struct fhi_page *page) {
  if (page->next)
    page->next->previous = page->previous;
  if (page->previous)
    page->previous->next = page->next;
  else
    heap->room[page->class] = page->next;
}

static void pool_add(struct fhi_heap *heap, struct fhi_page *page) {
  page->previous = NULL;
  page->next = heap->pool;
  if (page->next)
    page->next->previous = page;
  heap->pool = page;
}

// An empty page goes to the pool as it is, but for its bitmap: that of a page that is no class's is empty.
static void retire(struct fhi_heap *heap, struct fhi_page *page) {
  if (page->returned) {
    memset(fhi_bitmap_of(page), 0, (page->capacity + 63u) / 64 * sizeof(uint64_t));
    page->returned = page->carved = page->away = 0; // to carve it anew is less work than to link them
    page->free = NULL;
  }
  page->state = FHI_PAGE_POOLED;
  page->fast = NULL;
  page->kept = 0;
  pool_add(heap, page);
  fhi_run_give(heap, page, 1);
}

void fhi_page_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_page *page) {
  if (page->state == FHI_PAGE_POOLED) {
    fhi_pool_remove(from, page);
    pool_add(to, page);
  } else if (page->state == FHI_PAGE_CLASS) {
    if (!page->full) {
      room_remove(from, page);
      room_add(to, page);
    }
    // Relaxed: pairs with fhi_page_owner; either answer leads to the block's owner.
    __atomic_store_n(&page->fast, to->fast, __ATOMIC_RELAXED);
  } else if (page->state == FHI_PAGE_PACKED) {
    fhi_packed_move(from, to, page);
  }
}

void fhi_heap_disown(struct fhi_heap *heap) {
  heap->fast = NULL;
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next)
    for (unsigned i = 0; i < FHI_PAGES; ++i)
      fhi_pages(segment)[i].fast = NULL;
}

// A page that is not current any more: where does it belong?
static void file(struct fhi_heap *heap, struct fhi_page *page) {
  if (page->used == 0)
    retire(heap, page);
  else if (page->free || page->returned || page->carved < page->capacity || page->away)
    room_add(heap, page);
  else
    page->full = page->used = 1;
}

void fhi_page_trigger(struct fhi_heap *heap, struct fhi_page *page) {
  if (page->full) {
    page->full = 0;
    page->used = page->capacity - 1u;
    room_add(heap, page);
  } else {
    room_remove(heap, page);
    retire(heap, page);
  }
}

FHI_NOINLINE void fhi_page_returned(struct fhi_heap *heap, struct fhi_page *page, unsigned count) {
  if (page->full) {
    page->full = 0;
    page->used = page->capacity - count;
    room_add(heap, page);
  }
  if (page->used == 0) {
    room_remove(heap, page);
    retire(heap, page);
  }
}

FHI_NOINLINE void fhi_page_look(struct fhi_page *page) {
  struct fhi_heap *heap = fhi_segment_of_page(page)->heap;
  fhi_page_trigger(heap, page);
  fhi_idle_look(heap);
}

// Links the next extent of uncarved blocks into *list, which is empty.
static void carve(struct fhi_page *page, void **list) {
  unsigned count = Extent / page->block;
  unsigned left = (unsigned)page->capacity - page->carved;
  if (count == 0)
    count = 1;
  if (count > left)
    count = left;
  char *block = fhi_page_start(page) + (size_t)page->carved * page->block;
  *list = block;
  for (unsigned i = 1; i < count; ++i, block += page->block)
    *(void **)block = block + page->block;
  *(void **)block = NULL;
  // Atomic, and relaxed: a thread that looks up its block of this page reads it, and any value does as long as the block is
  // below.
  __atomic_store_n(&page->carved, (uint16_t)(page->carved + count), __ATOMIC_RELAXED);
}

// The same with blocks that other threads freed, about an extent of them, in the order of their addresses: so the processor sees
// from the first few which ones come next, here, in the program and in the thread that frees them.
static void fetch_returned(struct fhi_page *page, void **list) {
  uint64_t *bitmap = fhi_bitmap_of(page);
  unsigned words = (page->capacity + 63u) / 64, at = page->place;
  size_t block = page->block, bytes = 0;
  char *start = fhi_page_start(page);
  while (bytes < Extent && page->returned != 0) {
    at = at < words ? at : 0;
    uint64_t bits = bitmap[at];
    bitmap[at] = 0;
    for (char *base = start + 64 * block * at; bits != 0;) {
      unsigned first = (unsigned)__builtin_ctzll(bits), length = (unsigned)__builtin_ctzll(~(bits >> first) | (uint64_t)1 << 63);
      // A run of them; that of a whole word is left in two.
      bits &= ~((((uint64_t)1 << length) - 1) << first);
      bytes += length * block;
      page->returned -= (uint16_t)length;
      for (char *p = base + first * block, *end = p + length * block; p != end; p += block) {
        *list = p;
        list = (void **)p;
      }
    }
    ++at;
  }
  *list = NULL;
  page->place = (uint8_t)at;
}

// The same from what there is: what others freed, else uncarved blocks, else blocks that a trim sent away.
static void refill(struct fhi_page *page, void **list) {
  if (page->returned)
    fetch_returned(page, list);
  else if (page->carved < page->capacity)
    carve(page, list);
  else
    fhi_page_fetch(page, list);
}

// Where other threads gather a page's blocks: by class and the owner that took the page, so that of each few words are filled
// at a time.
static uint8_t gather_place(const struct fhi_heap *heap, unsigned class) {
  return (class * 2 ^ fhi_heap_hash(heap, FHI_GATHERED_BITS)) % FHI_GATHERED;
}

static void format(struct fhi_heap *heap, struct fhi_page *page, unsigned class) {
  uint32_t block = (uint32_t)fh_class_size(class);
  page->state = FHI_PAGE_CLASS;
  page->fast = heap->fast;
  page->kept = heap->kind == FHI_SHARED ? (uint8_t)(class + 1) : 0;
  page->gather = gather_place(heap, class);
  page->used = 0;
  page->full = 0;
  if (page->block == block && page->class == class && page->capacity != 0)
    return; // pooled with its free list
  page->class = (uint8_t)class;
  page->block = block;
  page->inverse = (uint32_t)(((uint64_t)1 << 32) / block + ((((uint64_t)1 << 32) % block) != 0));
  page->capacity = (uint16_t)(FHI_PAGE_SIZE / block);
  page->carved = 0;
  page->away = 0;
  page->returned = 0;
  page->place = 0;
  page->free = NULL;
  page->length = 1;
}

// Is the page that is about to be taken for the class one of many? Half a megabyte of blocks of one size is taken to be a
// structure that grows.
static bool is_burst(struct fhi_burst *burst, unsigned class) {
  if (burst->class != class)
    *burst = (struct fhi_burst){.class = (uint8_t)class};
  burst->pages += burst->pages < BurstFrom;
  return burst->pages == BurstFrom;
}

// An empty page for the class: best one that was of this class, else any pooled one (its memory is there), else a fresh one.
static struct fhi_page *page_take(struct fhi_heap *heap, unsigned class) {
  struct fhi_page *page = heap->pool;
  bool zero;
  for (unsigned i = 0; page && page->class != class && i < PoolSearch; ++i)
    page = page->next;
  if (page && page->class != class)
    page = heap->pool;
  if (page) {
    fhi_run_take_at(heap, page, 1, &zero);
  } else {
    page = fhi_run_take(heap, 1, 1, is_burst(&heap->idle.burst, class), &zero);
    if (!page)
      return NULL;
    page->capacity = 0;
  }
  format(heap, page, class);
  return page;
}

// A thread that is ending keeps no heads (nobody could look into them once it is gone): one block at a time.
static void *malloc_late(struct fhi_heap *heap, unsigned class) {
  struct fhi_page *page = heap->room[class];
  if (!page) {
    page = page_take(heap, class);
    if (!page)
      return NULL;
    room_add(heap, page);
  }
  if (!page->free)
    refill(page, &page->free);
  void *p = page->free;
  page->free = *(void **)p;
  ++page->used;
  if (!page->free && !page->returned && page->carved == page->capacity && !page->away) {
    room_remove(heap, page);
    page->full = page->used = 1;
  }
  return p;
}

static void *pop_head(void **head) {
  void *p = *head;
  *head = *(void **)p;
  return p;
}

// A shared heap is about to take a page: now this thread hands over what it gathered for others, and takes back four times what
// it takes, so that what waits shrinks whenever the heap grows.
static void page_needed(struct fhi_heap *heap) {
  fhi_outboxes_flush(heap, true);
  if (fhi_remote_waits(heap))
    fhi_remote_drain(heap, 4 * FHI_PAGE_SIZE);
}

void fhi_zero_take(struct fhi_heap *heap) {
  struct fhi_self *self = fhi_self();
  if (heap->live_heads != self->heads)
    return;
  for (void *p = self->zero; p; p = self->zero) {
    self->zero = *(void **)p;
    *(void **)p = self->heads[0];
    self->heads[0] = p;
  }
}

// Fills the dry head of a current page with what is free in it. Where some are away the filled ones are counted one by one: how
// many are away would take a look at all blocks of the page, as often as its free list is short.
static void fill(struct fhi_page *page, void **head) {
  *head = page->free;
  page->free = NULL;
  if (!*head)
    refill(page, head);
  if (FHI_LIKELY(page->away == 0))
    page->used = FHI_CURRENT + page->carved - page->returned;
  else
    for (void *p = *head; p; p = *(void **)p)
      ++page->used;
}

// The class's head is dry: from its current page if that has any more, else from another one.
static bool head_fill(struct fhi_heap *heap, unsigned class) {
  void **head = &heap->live_heads[class];
  struct fhi_page *page = heap->current[class];
  uint32_t used;
  if (FHI_UNLIKELY(heap->keep.on) && fhi_keep_dry(heap, class))
    return true;
  if (!page || !(page->free || page->returned || page->carved < page->capacity || page->away)) {
    if (page) {
      page->used -= FHI_CURRENT;
      heap->current[class] = NULL;
      file(heap, page);
    }
    page = heap->room[class];
    if (!page && heap->kind == FHI_SHARED) {
      page_needed(heap);
      page = heap->room[class];
    }
    if (page)
      room_remove(heap, page);
    else if (!(page = page_take(heap, class)))
      return false;
    heap->current[class] = page;
    page->used += FHI_CURRENT;
  }
  used = page->used;
  fill(page, head);
  if (FHI_UNLIKELY(heap->keep.on))
    fhi_keep_refilled(heap, class, page->used - used);
  return true;
}

void *fhi_page_malloc(struct fhi_heap *heap, unsigned class) {
  fhi_idle_look(heap);
  void **head = &heap->live_heads[class];
  if (heap->kind == FHI_SHARED && fhi_remote_waits(heap))
    fhi_remote_drain(heap, FHI_PORTION);
  if (heap->late)
    return malloc_late(heap, class);
  if (class == 0)
    fhi_zero_take(heap);
  return *head || head_fill(heap, class) ? pop_head(head) : NULL;
}

void fhi_heads_flush(struct fhi_heap *heap, bool visit) {
  fhi_zero_take(heap);
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    void *p = heap->live_heads[class];
    struct fhi_page *current = heap->current[class];
    heap->current[class] = NULL;
    if (current)
      current->used -= FHI_CURRENT;
    heap->live_heads[class] = NULL;
    // To send others' blocks may take back some of this heap's: by then the page must be where it belongs.
    if (current && heap->keep.has) {
      file(heap, current);
      current = NULL;
    }
    while (p) {
      struct fhi_page *page = fhi_page_of(p);
      void *next = *(void **)p;
      if (FHI_UNLIKELY(heap->keep.has && fhi_page_owner(page) != heap)) {
        fhi_outbox_add(heap, page, p, visit);
        p = next;
        continue;
      }
      if (!fhi_push_unchecked(page, p) && page != current)
        fhi_page_trigger(heap, page);
      p = next;
    }
    if (current)
      file(heap, current);
  }
  if (heap->keep.has)
    fhi_outboxes_flush(heap, visit);
  heap->keep.has = heap->keep.on;
}
