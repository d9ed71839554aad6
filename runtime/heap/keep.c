// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keep.c - blocks that a thread keeps where it freed them, whoever they belong to.
//
// Where threads free each other's blocks in no order and allocate as well, to send each block home is to have cache lines change
// processors for what could be used here at once; and whether a block is one's own is then a branch that nobody can foresee. So
// the heap of such a thread *keeps*: what the thread frees goes into the heads of its own heap, without a look at whose it is.
// `home` of the thread's record names nobody then, so that free's one comparison sends all shared blocks to fhi_free_elsewhere,
// and the descriptor's `kept` says which head, if any, a block goes to. Few instructions count there: the time goes into waiting
// for cache lines, and the fewer instructions lie between two such loads, the more of them are under way at once.
//
// A block in a head counts as out for its page, whichever page that is (heap.h). So for the heap that it belongs to, a block that
// is kept is one that the program still holds: the protocol in remote.c knows nothing of it until it is sent home.
//
// Where others' blocks are few among what a thread frees, as after it took over what an earlier thread had made, they soon are
// all sent home; kept, they would go round among its own for good, and each would bring another page into its working set. So
// their part is found out first. Not where another thread keeps already: it keeps this one's blocks too, so this one sees few of
// others', and would collect what both free.
//
// How much is kept is bounded for each class by its `room`: free takes one off, malloc adds one, and it is set anew when the head
// has run dry. (To count by a walk would fetch blocks that no cache holds any more.) Where there is none, half of it is made:
// what was freed last, which caches hold, goes to the depot, or home where that is full.
#include "fast.h"
#include "hardened.h"

enum {
  Enough = 1024,     // so many of others' blocks freed in no order tell whether to keep:
  Part = 8,          // not if more than so many times as many were allocated meanwhile;
  Soon = 512,        // blocks that go as addresses until it is asked again, while there are not enough,
  Later = 1 << 14,   // and after it was decided not to
  KeptBytes = 6144,  // of a class, and of none whose blocks are larger than
  KeptSize = 4096,   // this; and
  KeptMost = 192,    // so many blocks at most,
  KeptLeast = 4,     // but no fewer than these
  None = -(1 << 30), // room for blocks that are not kept: they are too large, or their page is no shared class's
  Useless = 32,      // heads that were full again without a block having been taken, more than others
  Flush = 256,       // heads that ran dry or full until the outboxes are flushed,
  Retry = 16384,     // until it is asked anew whether blocks come in no order
  WaitMost = 64,     // refusals to keep, after it was of no use
};

static _Atomic(uint32_t) Keepers; // heaps that keep

static int32_t most_of(unsigned class) {
  size_t size = fh_class_size(class), count = KeptBytes / size;
  if (size > KeptSize)
    return None;
  return count < KeptLeast ? KeptLeast : count > KeptMost ? KeptMost : (int32_t)count;
}

static void set_room(struct fhi_keep *keep, unsigned class, int32_t room) { keep->room[class + 1] = (uint32_t)room; }

static bool is_owned(struct fhi_heap *heap) { return atomic_load_explicit(&heap->state, memory_order_relaxed) == FHI_OWNED; }

// Blocks that malloc took from heads, modulo 2^32, as long as nothing is kept; and that went to other heaps.
static uint32_t made(const struct fhi_keep *keep) {
  uint32_t sum = 0;
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    sum += keep->room[class + 1];
  return sum;
}
static uint32_t sent(const struct fhi_heap *heap) {
  return (uint32_t)atomic_load_explicit(&heap->counters.remote_sent, memory_order_relaxed);
}

static void count_from_here(struct fhi_heap *heap) {
  heap->keep.sent = sent(heap);
  heap->keep.made = made(&heap->keep);
}

static void start(struct fhi_heap *heap) {
  struct fhi_keep *keep = &heap->keep;
  keep->room[0] = (uint32_t)None;
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    set_room(keep, class, most_of(class));
    keep->below[class] = NULL;
  }
  keep->events = keep->useless = 0;
  keep->on = keep->has = true;
  atomic_fetch_add_explicit(&Keepers, 1, memory_order_relaxed);
  fhi_self()->home = &fhi_no_heap;
}

uint32_t fhi_keep_start(struct fhi_heap *heap) {
  struct fhi_keep *keep = &heap->keep;
  uint32_t others = sent(heap) - keep->sent, all = made(keep) - keep->made;
  bool alone = atomic_load_explicit(&Keepers, memory_order_relaxed) == 0;
  if (alone && others < Enough)
    return Soon;
  count_from_here(heap);
  // Its thread may be gone, and who found that empties its outboxes; or it has no heads any more.
  if ((alone && all / Part > others) || fhi_self()->shared != heap || !is_owned(heap) || fhi_hardened())
    return Later;
  if (keep->wait != 0) {
    --keep->wait;
    return Later;
  }
  start(heap);
  return 0;
}

bool fhi_keep_end(struct fhi_heap *heap) {
  bool last = heap->keep.on && atomic_fetch_sub_explicit(&Keepers, 1, memory_order_relaxed) == 1;
  heap->keep.on = false;
  count_from_here(heap);
  return last;
}

void fhi_keep_stop(struct fhi_heap *heap) {
  fhi_self()->home = heap;
  if (fhi_keep_end(heap))
    fhi_depot_empty(heap); // nobody takes from there any more
}

void fhi_keep_forked(const struct fhi_heap *mine) {
  atomic_store_explicit(&Keepers, mine && mine->keep.on, memory_order_relaxed);
}

void fhi_keep_send(struct fhi_heap *heap, void *list) {
  for (void *p = list, *next; p; p = next) {
    struct fhi_page *page = fhi_page_of(p);
    struct fhi_heap *owner = fhi_page_owner(page);
    next = *(void **)p;
    if (owner != heap) {
      if (heap != &fhi_no_heap && is_owned(heap))
        fhi_outbox_add(heap, page, p, true);
      else
        fhi_remote_free(owner, p);
    } else if (!fhi_push_unchecked(page, p)) {
      fhi_page_trigger(heap, page);
    }
  }
}

// A head ran dry or full. Only after the latter it may turn out to be useless, so who fills a head finds it filled.
static void event(struct fhi_heap *heap) {
  struct fhi_keep *keep = &heap->keep;
  ++keep->events;
  if (keep->useless >= Useless) {
    keep->penalty = keep->penalty == 0 ? 1 : keep->penalty < WaitMost ? (uint8_t)(2 * keep->penalty) : WaitMost;
    keep->wait = keep->penalty;
    fhi_keep_stop(heap);
    fhi_heads_flush(heap, true);
  } else if (keep->events == Retry) {
    keep->penalty = 0;
    fhi_keep_stop(heap);
    fhi_outboxes_flush(heap, true);
  } else if (keep->events % Flush == 0) {
    fhi_outboxes_flush(heap, true);
  }
}

void fhi_keep_refilled(struct fhi_heap *heap, unsigned class, uint32_t count) {
  int32_t most = most_of(class);
  set_room(&heap->keep, class, most == None ? None : most - (int32_t)count);
  event(heap);
}

bool fhi_keep_dry(struct fhi_heap *heap, unsigned class) {
  void *chain = fhi_depot_take(class);
  if (!chain)
    return false;
  heap->heads[class] = chain;
  fhi_keep_refilled(heap, class, (uint32_t)most_of(class) / 2);
  return true;
}

static void make_room(struct fhi_heap *heap, unsigned class) {
  struct fhi_keep *keep = &heap->keep;
  int32_t half = most_of(class) / 2, count = 1;
  void *chain = heap->heads[class], **last = chain;
  for (; count < half && *last; ++count)
    last = *last;
  heap->heads[class] = *last;
  *last = NULL;
  if (heap->heads[class] == keep->below[class])
    ++keep->useless;
  else if (keep->useless != 0)
    --keep->useless;
  if (count < half || !fhi_depot_give(class, chain)) {
    fhi_keep_send(heap, chain);
  }
  set_room(keep, class, half);
  keep->below[class] = heap->heads[class];
  event(heap);
}

FHI_NOINLINE void fhi_keep_more(void *p, struct fhi_page *page, struct fhi_heap *heap) {
  struct fhi_heap *owner = fhi_page_owner(page); // or a thread pointer, if the block is local
  unsigned class = page->class, kept = page->kept;
  if (kept == 0 || page->block > KeptSize)
    heap->keep.room[kept] = (uint32_t)None; // the caller took one off
  if (!owner || !fhi_is_shared(p) || !fhi_is_block_start(page, p)) {
    fhi_free_slow(p);
  } else if (heap->heads[class] == p) {
    fhi_stop_double_free(p);
  } else if (page->block <= KeptSize) {
    if (heap->heads[class])
      make_room(heap, class);
    else
      fhi_keep_refilled(heap, class, 0);
    fhi_free(p);
  } else if (owner != heap) {
    fhi_remote_free(owner, p);
  } else if (!fhi_push(page, p)) {
    fhi_page_look(page);
  }
}
