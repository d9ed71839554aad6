// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// misuse.c - what stops the program with one line: a local block freed or grown by the wrong thread, double frees, invalid
// pointers, and the owner check's reads and writes, of living threads' blocks and of dead ones'.
#include "heaps.h"

#include "../../runtime/heap/hardened.h"

#include <pthread.h>

static void *free_it(void *p) {
  fhi_free(p);
  return NULL;
}
static void *grow_it(void *p) { return fhi_realloc(FHI_SHARED, p, 1 << 20); }
static void *read_it(void *p) {
  fh_check_access(p, 8, "b.c:7", 0);
  return NULL;
}
static void *write_it(void *p) {
  fh_check_access(p, 4, "b.c:8", 1);
  return NULL;
}
static void *make_it(void *p) {
  *(void **)p = fh_tls_malloc(64);
  return NULL;
}

static void on_other_thread(void *(*body)(void *), void *p) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, p) == 0);
  pthread_join(thread, NULL);
}

static void *site_block(size_t size) {
  void *p = fh_tls_malloc(size);
  fh_check_site(p, "a.c:3");
  return p;
}

static void *of_dead_thread(void) {
  void *p;
  on_other_thread(make_it, &p);
  fh_tls_free(fh_tls_malloc(8));
  fhi_lock();
  fhi_threads_reap();
  fhi_unlock();
  return p;
}

// A thread that ends, and the next one at its place in memory, with nothing in between that would notice.
static void in_its_place(void) {
  void *p;
  on_other_thread(make_it, &p);
  on_other_thread(free_it, p);
}
static void *free_local(void *p) {
  fh_tls_free(p);
  return NULL;
}
static void in_its_place_local(void) {
  void *p;
  on_other_thread(make_it, &p);
  on_other_thread(free_local, p);
}

static void wrong_thread(void) {
  STOPS(on_other_thread(free_it, fh_tls_malloc(64)), "freehold: wrong thread: block 0x");
  STOPS(on_other_thread(free_it, site_block(64)), "(64 bytes, allocated at a.c:3) belongs to thread ");
  STOPS(on_other_thread(free_it, fh_tls_malloc(100000)), "wrong thread");
  STOPS(on_other_thread(free_it, fh_tls_malloc(10000000)), "wrong thread");
  STOPS(on_other_thread(grow_it, fh_tls_malloc(64)), "wrong thread");
  STOPS(free_it(of_dead_thread()), "wrong thread");
  STOPS(in_its_place(), "wrong thread");
  STOPS(in_its_place_local(), "wrong thread");
}

static void double_free(void) {
  void *p, *q;
  STOPS((p = fh_tls_malloc(64), fhi_free(p), fhi_free(p)), "double free: block 0x");
  STOPS((p = fhi_shared_malloc(64), fhi_free(p), fhi_free(p)), "double free: block 0x");
  STOPS((p = fhi_shared_malloc(100000), q = fhi_shared_malloc(16), fhi_free(p), fhi_free(p), (void)q), "double free: block 0x");
  STOPS((p = fhi_shared_malloc(10000000), fhi_free(p), fhi_free(p)), "double free: block 0x");
}

// Twice by another thread: found when the owner takes both back.
static void *free_twice(void *p) {
  free_it(p);
  return free_it(p);
}
static void *gather_twice(void *p) {
  fhi_free(fhi_shared_malloc(16)); // with a heap of its own it hands over in batches
  return free_twice(p);
}
// Of two blocks that come back together the owner had freed one itself.
static void *Pair[2];
static void *gather_pair(void *unused) {
  fhi_free(fhi_shared_malloc(16));
  free_it(Pair[0]);
  free_it(Pair[1]);
  return unused;
}
static void free_first(void) {
  Pair[0] = fhi_shared_malloc(64);
  Pair[1] = fhi_shared_malloc(64);
  fhi_free(Pair[0]);
  on_other_thread(gather_pair, NULL);
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
}
static void take_back(void *body(void *), void *p, size_t size) {
  on_other_thread(body, p);
  for (int i = 0; i < 10000; ++i)
    fhi_shared_malloc(size);
}
// Written to after it was freed, while it carries what else was handed over: where it says that there is more, there is none.
static void written_while_it_carries(size_t size, uintptr_t word) {
  uintptr_t *p = fhi_shared_malloc(size);
  on_other_thread(free_it, p);
  *p = word;
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
}
// More words than it has room for: those behind it are the next block's.
static void says_too_much(void) {
  enum { Words = 64 / sizeof(void *) };
  uintptr_t *live[2 * Words], *p = fhi_shared_malloc(64);
  for (int i = 0; i < 2 * Words; ++i)
    live[i] = fhi_shared_malloc(64);
  CHECK(live[0] == p + Words);
  on_other_thread(free_it, p);
  for (int i = 1; i < 2 * Words; ++i)
    p[i] = (uintptr_t)live[i];
  *p = (uintptr_t)Words << FHI_CARRIER_SHIFT;
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
}
static void remote_double_free(void) {
  if (!fhi_hardened())
    STOPS(says_too_much(), "double free: block 0x");
  for (size_t size = 16; size <= FH_CLASSED_MAX && !fhi_hardened(); size *= 8) {
    STOPS(written_while_it_carries(size, (uintptr_t)0xffff << FHI_CARRIER_SHIFT), "double free: block 0x");
    STOPS(written_while_it_carries(size, (uintptr_t)(size / 8) << FHI_CARRIER_SHIFT), "double free: block 0x");
    STOPS(written_while_it_carries(size, 0x41414141), "double free: block 0x");
  }
  STOPS(take_back(free_twice, fhi_shared_malloc(64), 64), "double free: block 0x");
  STOPS(take_back(gather_twice, fhi_shared_malloc(64), 64), "double free: block 0x");
  STOPS(take_back(gather_twice, fhi_shared_malloc(16), 16), "double free: block 0x");
  STOPS(take_back(gather_twice, fhi_shared_malloc(200000), 200000), "double free: block 0x");
  STOPS(free_first(), "double free: block 0x");
}

static void invalid(void) {
  STOPS(fhi_free((char *)fh_tls_malloc(64) + 16), "invalid free: 0x");
  STOPS(fhi_free((char *)fhi_shared_malloc(64) + 8), "invalid free: 0x");
  STOPS(fhi_free((char *)fhi_shared_malloc(300000) + 70000), "invalid free: 0x");
  STOPS(fhi_free((char *)fhi_shared_malloc(30000000) + 7000000), "invalid free: 0x");
  STOPS(fhi_realloc(FHI_SHARED, (char *)fhi_shared_malloc(64) + 16, 10), "invalid realloc: 0x");
}

// Addresses in the heap's ranges where nothing was ever mapped: a line, never a crash; far from all blocks under check and guard
// only.
static void nowhere(void) {
  for (unsigned bit = FHI_SLOT_SHIFT + 2; bit < 32; ++bit) {
    STOPS(fhi_free((void *)(FH_LOCAL_BASE + ((uintptr_t)1 << bit))), "free: block 0x");
    STOPS(fhi_free((void *)(FH_SHARED_BASE + ((uintptr_t)1 << bit) + 64)), "free: block 0x");
  }
  for (unsigned bit = FHI_SLOT_SHIFT; bit < FH_RANGE_BITS && fhi_hardened(); ++bit) {
    STOPS(fhi_free((void *)(FH_LOCAL_BASE + ((uintptr_t)1 << FH_RANGE_BITS) - ((uintptr_t)1 << bit))), "free: block 0x");
    STOPS(fhi_free((void *)(FH_SHARED_BASE + ((uintptr_t)1 << FH_RANGE_BITS) - ((uintptr_t)1 << bit) + 64)), "free: block 0x");
  }
}

static void owner_check(void) {
  char *p = site_block(48), *huge = site_block(9000000), *large = site_block(90000);
  fh_check_access(p, 48, "a.c:4", 1);
  fh_check_access(&p, 8, "a.c:4", 1);
  fh_check_access(fhi_shared_malloc(8), 8, "a.c:4", 1);
  STOPS(on_other_thread(read_it, p), "freehold: owner check: read of 8 bytes at 0x");
  STOPS(on_other_thread(write_it, p + 12), "from a.c:3, verdict local) by thread ");
  STOPS(on_other_thread(write_it, p), " at b.c:8; the block belongs to thread ");
  STOPS(on_other_thread(read_it, huge + 8000000), "from a.c:3, verdict local)");
  STOPS(on_other_thread(read_it, large + 80000), "from a.c:3, verdict local)");
  STOPS(on_other_thread(read_it, (fh_tls_free(p), p)), "owner check");
  STOPS(read_it(of_dead_thread()), "has ended");
  for (int i = 0; i < 5000; ++i) // the site table grows
    site_block(32);
  STOPS(on_other_thread(free_it, site_block(32)), "allocated at a.c:3");
}

int main(void) {
  heaps_start();
  fh_tls_free(fh_tls_malloc(64));
  fhi_free(fhi_shared_malloc(64));
  wrong_thread();
  double_free();
  remote_double_free();
  invalid();
  nowhere();
  owner_check();
  return 0;
}
