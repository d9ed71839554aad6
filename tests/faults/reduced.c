// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduced.c - what the sweep found, one case a function: what the heap does where a certain call fails. Run in each mode of
// FREEHOLD_CHECK. `reduced NAME`: one case only.
#include "../runtime/heaps.h"

#include "../../runtime/heap/hardened.h"
#include "calls.h"

#include <errno.h>

enum { Count = 200, Size = 100000 };
static void *Blocks[Count];

// madvise does not give locked memory back: calloc must not take it for zero, and nobody may wait for it to go.
static void locked_memory(void) {
  calls_fail("madvise");
  for (int i = 0; i < Count; ++i)
    Blocks[i] = memset(fh_tls_malloc(Size), 0x55, Size);
  for (int i = 0; i < Count; ++i) // some stay, so that no segment goes as a whole
    if (i % 16 != 0)
      fhi_free(Blocks[i]);
  fhi_trim();
  for (int i = 0; i < Count; ++i) {
    if (i % 16 == 0)
      continue;
    char *p = Blocks[i] = fh_tls_calloc(1, Size);
    for (int at = 0; at < Size; ++at)
      CHECK(p[at] == 0);
  }
  for (int i = 0; i < Count; ++i)
    fhi_free(Blocks[i]);
  calls_fail(NULL);
  CHECK(calls_failed() > 0);
}

// No room for one more mapping: first none can be made writable, then what is reserved cannot be unmapped. The next time all
// works.
static void no_more_mappings(void) {
  enum { Slots = 70 }; // more than one piece of the descriptors' memory serves
  static void *huge[Slots];
  calls_fail("mprotect munmap");
  int got = 0;
  while (got < Slots && (huge[got] = fhi_shared_malloc(6 << 20)))
    ++got;
  CHECK(got < Slots && errno == ENOMEM);
  calls_fail(NULL);
  for (int i = got; i < Slots; ++i)
    CHECK((huge[i] = fhi_shared_malloc(6 << 20)));
  for (int i = 0; i < Slots; ++i)
    fhi_free(huge[i]);
}

// Under guard: pages that cannot be made accessible again are not given out.
static void stays_closed(void) {
  for (int i = 0; i < Count; ++i)
    Blocks[i] = memset(fh_tls_malloc(Size), 0x55, Size);
  for (int i = 0; i < Count; ++i) // closed, in quarantine
    fhi_free(Blocks[i]);
  calls_fail("mprotect");
  for (int i = 0; i < 10 * Count; ++i)
    fhi_free(memset(fh_tls_malloc(Size), 0x66, Size));
  calls_fail(NULL);
  for (int i = 0; i < 10 * Count; ++i)
    fhi_free(memset(fh_tls_malloc(Size), 0x66, Size));
}

static void a_shrink_never_fails(void) {
  static const size_t Sizes[] = {300, 30000, 300000, 8000000};
  for (int i = 0; i < 4; ++i) {
    char *p = fh_tls_malloc(Sizes[i]);
    fill(p, Sizes[i], 3);
    calls_fail("mmap mremap");
    void *all = NULL, *more; // so that no smaller block is left
    while ((more = fhi_local_malloc(Sizes[i] / 3)) != NULL) {
      *(void **)more = all;
      all = more;
    }
    CHECK((p = fh_tls_realloc(p, Sizes[i] / 3)) != NULL && filled(p, Sizes[i] / 3, 3));
    calls_fail(NULL);
    for (; all; all = more) {
      more = *(void **)all;
      fhi_free(all);
    }
    fhi_free(p);
  }
}

// What cannot be unmapped costs no memory, and its addresses are not taken for free ones.
static void stays_mapped(void) {
  long before = resident();
  calls_fail("munmap");
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i)
      Blocks[i] = memset(fh_tls_malloc(6000000), 1, 6000000);
    for (int i = 0; i < 10; ++i)
      fhi_free(Blocks[i]);
  }
  fhi_trim();
  calls_fail(NULL);
  CHECK(resident() < before + (20 << 10));
}

// The first call of all fails, and with it the question whose malloc the process's is: no block of libc's, then all is well.
static void nothing_at_first(void) {
  CHECK(calls_failed() > 0);
  errno = 0;
  CHECK(fh_tls_aligned_alloc(64, 100) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(fh_tls_malloc(100) == NULL && errno == ENOMEM);
  calls_fail(NULL);
  char *p = fh_tls_aligned_alloc(64, 100);
  CHECK(p && fh_is_local(p) && (p = fh_tls_realloc(p, 3000)) && fh_is_local(p));
  fhi_free(p);
}

int main(int count, char **names) {
  static const struct {
    const char *name;
    void (*body)(void);
  } Cases[] = {
      {"nothing_at_first", nothing_at_first}, {"no_more_mappings", no_more_mappings},         {"locked_memory", locked_memory},
      {"stays_closed", stays_closed},         {"a_shrink_never_fails", a_shrink_never_fails}, {"stays_mapped", stays_mapped}};
  for (unsigned i = getenv("FAULT") == NULL; i < sizeof Cases / sizeof Cases[0]; ++i)
    if (count < 2 || strcmp(names[1], Cases[i].name) == 0)
      Cases[i].body();
  return 0;
}
