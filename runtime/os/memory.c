// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memory.c - mapping, unmapping and giving back memory (Linux). errno is left as it was: malloc sets it itself where it must.
#include "os.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

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

bool fhi_os_address_space_limited(void) {
  struct rlimit limit;
  int saved = errno;
  bool limited = getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  errno = saved;
  return limited;
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
