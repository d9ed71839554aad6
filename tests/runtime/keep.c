// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keep.c - heaps whose threads free in no order keep what is freed: contents, how much that is, and when they do not.
#include "keeping.h"

static _Atomic(int) Kept;

static void *exchange_many(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  bool on = false;
  for (int i = 0; i < 100000; ++i) {
    exchange(&state);
    on |= i % 64 == 0 && fhi_shared_heap()->keep.on;
  }
  atomic_fetch_add(&Kept, on);
  return NULL;
}

static void contents(void) {
  size_t before = fhi_mapped_bytes();
  for (int generation = 0; generation < 3; ++generation) {
    pthread_t threads[Threads];
    for (uintptr_t i = 0; i < Threads; ++i)
      CHECK(pthread_create(&threads[i], NULL, exchange_many, (void *)(i + 1 + generation * 10u)) == 0);
    for (int i = 0; i < Threads; ++i)
      pthread_join(threads[i], NULL);
  }
  CHECK(!Keeps || atomic_load(&Kept) >= 2 * Threads);
  CHECK(fhi_mapped_bytes() <= before + (48u << 20)); // 4 MiB are live, of 450 that were made
  clear_exchange();
  nothing_is_left(16u << 20);
}

// ---- a thread that only makes, and one that only frees ----

enum { Batch = 2048, Batches = 150 };
static struct batch {
  void *block[Batch];
  _Atomic(int) full;
} Pipe[2];

static void wait_for(_Atomic(int) *what, int value) {
  while (atomic_load(what) != value)
    usleep(50);
}

static void *only_make(void *unused) {
  unsigned state = 5;
  for (int round = 0; round < Batches; ++round) {
    struct batch *batch = &Pipe[round % 2];
    wait_for(&batch->full, 0);
    for (int i = 0; i < Batch; ++i)
      CHECK((batch->block[i] = memset(fhi_shared_malloc(1 + next(&state) % 4096), i, 1)) != NULL);
    shuffle(batch->block, Batch, &state);
    atomic_store(&batch->full, 1);
  }
  return unused;
}

static void *only_free(void *unused) {
  int kept = 0;
  struct fhi_heap *heap = NULL;
  for (int round = 0; round < Batches; ++round) {
    struct batch *batch = &Pipe[round % 2];
    wait_for(&batch->full, 1);
    for (int i = 0; i < Batch; ++i)
      fhi_free(batch->block[i]);
    heap = fhi_shared_heap();
    kept += heap->keep.on;
    atomic_store(&batch->full, 0);
  }
  CHECK(!Keeps || (heap->keep.penalty >= 4 && kept < Batches / 2)); // it tried, and gave up ever longer
  return unused;
}

static void one_way(void) {
  pthread_t maker, freer;
  size_t before = fhi_mapped_bytes();
  CHECK(pthread_create(&maker, NULL, only_make, NULL) == 0 && pthread_create(&freer, NULL, only_free, NULL) == 0);
  pthread_join(maker, NULL);
  pthread_join(freer, NULL);
  CHECK(fhi_mapped_bytes() <= before + (40u << 20)); // of 300 MiB
  nothing_is_left(16u << 20);
}

// ---- how much is kept ----

enum { Many = 20000 };
static void *Blocks[Many];
static size_t SizeOfMany;
static void make_many(void) {
  for (int i = 0; i < Many; ++i)
    CHECK((Blocks[i] = fhi_shared_malloc(SizeOfMany)) != NULL);
}

static unsigned InDepot, ChainsInDepot; // blocks of SizeOfMany; chains of all sizes
static void count_chain(void *chain) {
  ++ChainsInDepot;
  if (fhi_page_of(chain)->class == fh_class_of(SizeOfMany))
    InDepot += length_of(chain);
}
static void look_into_depot(void) {
  InDepot = ChainsInDepot = 0;
  fhi_depot_each(count_chain);
}

static void *keep_many(void *argument) {
  size_t bytes = (size_t)(uintptr_t)argument;
  unsigned state = 3, class = (unsigned)fh_class_of(SizeOfMany), longest = 0, most_in_depot = 0;
  struct fhi_heap *heap = come_to_keep();
  size_t before = length_of(heap->heads[class]);
  shuffle(Blocks, Many, &state);
  for (int i = 0; i < Many; ++i) {
    free_and_keep(heap, Blocks[i]);
    if (i % 32 == 0) {
      look_into_depot();
      unsigned length = length_of(heap->heads[class]);
      longest = length > longest ? length : longest;
      most_in_depot = InDepot > most_in_depot ? InDepot : most_in_depot;
    }
  }
  CHECK(heap->keep.on == Keeps);
  CHECK(longest * SizeOfMany <= before * SizeOfMany + bytes);
  CHECK(most_in_depot * SizeOfMany <= 8 * bytes / 2);
  CHECK(!Keeps || bytes == 0 || (longest * SizeOfMany > bytes / 2 - SizeOfMany && most_in_depot != 0));
  return NULL;
}

static void bounds(void) {
  static const size_t Sizes[] = {16, 32, 208, 1024, 4096, 5000};
  for (unsigned s = 0; s < sizeof Sizes / sizeof *Sizes; ++s) {
    SizeOfMany = fh_class_size(fh_class_of(Sizes[s]));
    size_t most = SizeOfMany > 4096 ? 0 : SizeOfMany > 6144 / 4 ? 4 * SizeOfMany : 6144;
    make_many();
    on_thread(keep_many, (void *)(uintptr_t)most);
  }
  nothing_is_left(16u << 20);
}

// However many blocks that are not kept are freed, they never are.
static void *Large[600];
static void *make_large(void *unused) {
  for (int i = 0; i < 600; ++i)
    CHECK((Large[i] = fhi_shared_malloc(i < 300 ? 8000 : 40000)) != NULL);
  return unused;
}
static void *free_large(void *unused) {
  struct fhi_heap *heap = come_to_keep();
  unsigned class = (unsigned)fh_class_of(8000), before = length_of(heap->heads[class]);
  on_thread(make_large, NULL);
  heap->keep.room[0] = heap->keep.room[class + 1] = (uint32_t)INT32_MIN + 100; // as after a thousand million
  for (int i = 0; i < 600; ++i)
    fhi_free(Large[i]);
  CHECK(length_of(heap->heads[class]) == before);
  return unused;
}

// Blocks that come home one by one fill a head as well, and give it no more room.
enum { Loose = 250 }; // of one page
static void *LooseBlocks[Loose];
static void *free_loose(void *unused) {
  fhi_free(fhi_shared_malloc(1));
  fhi_shared_heap()->addresses = Loose;
  for (int i = 0; i < Loose; ++i)
    fhi_free(LooseBlocks[i]);
  return unused;
}
static void *keep_loose(void *unused) {
  unsigned class = (unsigned)fh_class_of(SizeOfMany);
  int32_t most = (int32_t)((6144 + FHI_PORTION) / SizeOfMany); // a portion may fill a head
  struct fhi_heap *heap = come_to_keep();
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < Loose; ++i)
      CHECK((LooseBlocks[i] = fhi_shared_malloc(SizeOfMany)) != NULL);
    CHECK(!Keeps || (int32_t)heap->keep.room[class + 1] <= most);
    on_thread(free_loose, NULL);
  }
  size_t before = length_of(heap->heads[class]);
  for (int i = 0; i < Many; ++i) {
    free_and_keep(heap, Blocks[i]);
    CHECK(!Keeps || i % 32 != 0 || length_of(heap->heads[class]) <= before + (size_t)most);
  }
  return unused;
}

// ---- blocks of all sizes and kinds ----

static void *any_block(unsigned *state, size_t *size) {
  unsigned r = next(state), what = next(state) % 8;
  *size = r % 101 == 0 ? 2500000 + r % 1000000 : r % 11 == 0 ? 4000 + r % 100000 : 1 + r % 5000;
  if (what == 0)
    return fh_tls_malloc(*size);
  if (what == 1)
    return fhi_shared_aligned((size_t)16 << next(state) % 9, *size);
  return what == 2 ? fhi_shared_calloc(1, *size) : fhi_shared_malloc(*size);
}

static void *mix(void *unused) {
  enum { Live = 300 };
  static void *live[Live];
  static size_t size[Live];
  unsigned state = 11;
  come_to_keep();
  for (int i = 0; i < 40000; ++i) {
    unsigned at = next(&state) % Live;
    if (live[at] && next(&state) % 4 == 0) {
      size_t more = 1 + next(&state) % 9000;
      CHECK(filled(live[at], size[at] < 64 ? size[at] : 64, at));
      CHECK((live[at] = fhi_realloc(FHI_SHARED, live[at], more)) != NULL);
      CHECK(filled(live[at], size[at] < 64 && size[at] < more ? size[at] : more < 64 ? more : 64, at));
      size[at] = more;
    } else {
      CHECK(!live[at] || filled(live[at], size[at] < 64 ? size[at] : 64, at));
      fhi_free(live[at]);
      CHECK((live[at] = any_block(&state, &size[at])) != NULL && fhi_usable_size(live[at]) >= size[at]);
    }
    fill(live[at], size[at] < 64 ? size[at] : 64, at);
    if (i % 8000 == 0)
      come_to_keep();
  }
  for (int i = 0; i < Live; ++i)
    fhi_free(live[i]);
  return unused;
}

// ---- what is freed in the order of its allocation is not kept ----

static void *free_in_order(void *unused) {
  fhi_free(fhi_shared_malloc(1));
  struct fhi_heap *heap = fhi_shared_heap();
  ask_whether_to_keep(heap);
  for (int i = 0; i < Many; ++i)
    fhi_free(Blocks[i]);
  CHECK(!heap->keep.on && heap->addresses == 0);
  return unused;
}
static void in_order(void) {
  for (SizeOfMany = 16; SizeOfMany <= 512; SizeOfMany *= 2) {
    make_many();
    on_thread(free_in_order, NULL);
  }
}

// ---- a thread that allocates far more than it frees of others' keeps nothing ----

static void *free_seldom(void *unused) {
  unsigned state = 13;
  bool on = false;
  fhi_free(fhi_shared_malloc(1));
  ask_whether_to_keep(fhi_shared_heap());
  for (int i = 0; i < Many; ++i) {
    fhi_free(Blocks[i]);
    for (int k = 0; k < 16; ++k)
      fhi_free(fhi_shared_malloc(1 + next(&state) % 500));
    on |= fhi_shared_heap()->keep.on;
  }
  CHECK(!on);
  return unused;
}
static void seldom(void) {
  unsigned state = 17;
  SizeOfMany = 64;
  make_many();
  shuffle(Blocks, Many, &state);
  on_thread(free_seldom, NULL);
}

int main(void) {
  keeping_start();
  in_order();
  seldom();
  contents();
  one_way();
  bounds();
  on_thread(free_large, NULL);
  SizeOfMany = 208;
  make_many();
  on_thread(keep_loose, NULL);
  on_thread(mix, NULL);
  nothing_is_left(16u << 20);
  return 0;
}
