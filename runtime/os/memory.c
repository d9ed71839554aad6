// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memory.c - mapping, unmapping and giving back memory (Linux). errno is left as it was: malloc sets it itself where it must.
#include "os.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { SystemPage = 4096, PagesAtOnce = 4096 };

static int map_at(void *addr, size_t size, int protection) {
  int saved = errno, error = 0;
  void *got = mmap(addr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) {
    error = errno;
  } else if (got != addr) {
    // Kernels before 4.17, and valgrind, take the address as a hint only.
    munmap(got, size);
    error = EEXIST;
  }
  errno = saved;
  return error;
}

int fhi_os_map_at(void *addr, size_t size) { return map_at(addr, size, PROT_READ | PROT_WRITE); }

bool fhi_os_reserve(void *addr, size_t size) {
  int saved = errno;
  if (map_at(addr, size, PROT_READ) != 0)
    return false;
  madvise(addr, size, MADV_NOHUGEPAGE);
  errno = saved;
  return true;
}

bool fhi_os_make_writable(void *addr, size_t size) {
  int saved = errno;
  bool done = mprotect(addr, size, PROT_READ | PROT_WRITE) == 0;
  errno = saved;
  return done;
}

bool fhi_os_protect(void *addr, size_t size, bool accessible) {
  int saved = errno;
  bool done = mprotect(addr, size, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
  errno = saved;
  return done;
}

size_t fhi_os_address_space(void) {
  struct rlimit limit;
  int saved = errno;
  if (getrlimit(RLIMIT_AS, &limit) != 0)
    limit.rlim_cur = 0;
  errno = saved;
  return limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : limit.rlim_cur;
}

void *fhi_os_map(size_t size) {
  int saved = errno;
  void *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = saved;
  return got == MAP_FAILED ? NULL : got;
}

bool fhi_os_unmap(void *addr, size_t size) {
  int saved = errno;
  bool done = munmap(addr, size) == 0;
  if (!done)
    madvise(addr, size, MADV_DONTNEED);
  errno = saved;
  return done;
}

static _Atomic(uint64_t) Purged;

bool fhi_os_purge(void *addr, size_t size) {
  int saved = errno;
  bool done = madvise(addr, size, MADV_DONTNEED) == 0;
  if (done)
    atomic_fetch_add_explicit(&Purged, size, memory_order_relaxed);
  errno = saved;
  return done;
}

// Pages that the kernel says have no memory may lie in swap, so they are given back.
static void clear_part(char *start, const unsigned char *here, size_t pages) {
  for (size_t first = 0, end; first < pages; first = end) {
    for (end = first + 1; end < pages && ((here[end] ^ here[first]) & 1) == 0; ++end)
      ;
    char *run = start + first * SystemPage;
    size_t size = (end - first) * SystemPage;
    if ((here[first] & 1) != 0 || madvise(run, size, MADV_DONTNEED) != 0)
      memset(run, 0, size);
  }
}

void fhi_os_clear(void *addr, size_t size) {
  int saved = errno;
  unsigned char here[PagesAtOnce];
  char *start = addr;
  for (size_t part; size != 0; start += part, size -= part) {
    part = size < sizeof here * SystemPage ? size : sizeof here * SystemPage;
    if (mincore(start, part, here) != 0)
      memset(here, 1, sizeof here);
    clear_part(start, here, part / SystemPage);
  }
  errno = saved;
}

uint64_t fhi_os_purged(void) { return atomic_load_explicit(&Purged, memory_order_relaxed); }

void fhi_os_huge_pages(void *addr, size_t size) {
  int saved = errno;
  madvise(addr, size, MADV_HUGEPAGE);
  errno = saved;
}

bool fhi_os_move(void *from, void *to, size_t size) {
  int saved = errno;
  bool moved = mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
  errno = saved;
  return moved;
}
