// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// override.c - malloc and its kin for the whole process: shared blocks. One archive member that nothing of fh_* refers to: where
// the program brings a malloc of its own, all of this stays out.
#include "api.h"
#include "hardened.h"
#include "stats.h"
#include "threads.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// What start.c knows the functions by that another allocator in front of us may lack.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes" // an alias for comparing addresses only
#endif
#define ALIAS(name) __attribute__((alias(name))) FHI_HIDDEN
void *fhi_override_aligned_alloc(size_t, size_t) ALIAS("aligned_alloc");
int fhi_override_posix_memalign(void **, size_t, size_t) ALIAS("posix_memalign");
size_t fhi_override_usable_size(void *) ALIAS("malloc_usable_size");

// Where another allocator is in front it has malloc, free, calloc and realloc, but perhaps not the rest: then the rest hands out
// that allocator's blocks, since its free will get them.
static void *aligned(size_t alignment, size_t size) {
  return fhi_front() != FHI_FRONT_OURS ? fhi_other_aligned(alignment, size) : fhi_shared_aligned(alignment, size);
}

FHI_EXPORT void *malloc(size_t size) { return fhi_shared_malloc_fast(size); }

FHI_EXPORT void free(void *p) { fhi_free_any(p); }

FHI_EXPORT void *calloc(size_t count, size_t size) { return fhi_shared_calloc(count, size); }

FHI_EXPORT void *realloc(void *p, size_t size) { return fhi_realloc(FHI_SHARED, p, size); }

FHI_EXPORT void *reallocarray(void *p, size_t count, size_t size) {
  size_t total = fhi_product(count, size);
  if (total == SIZE_MAX) {
    errno = ENOMEM;
    return NULL;
  }
  return !p && fhi_front() != FHI_FRONT_OURS ? fhi_other_malloc(total) : fhi_realloc(FHI_SHARED, p, total);
}

static bool power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

FHI_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  if (!power_of_two(alignment)) {
    errno = EINVAL;
    return NULL;
  }
  return aligned(alignment, size);
}

FHI_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || !power_of_two(alignment))
    return EINVAL;
  int saved = errno;
  void *p = aligned(alignment, size);
  errno = saved;
  if (!p)
    return ENOMEM;
  *result = p;
  return 0;
}

// As glibc: an alignment that is no power of two is rounded up to one.
FHI_EXPORT void *memalign(size_t alignment, size_t size) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return NULL;
  }
  size_t rounded = 16;
  while (rounded < alignment)
    rounded *= 2;
  return aligned(rounded, size);
}

FHI_EXPORT void *valloc(size_t size) { return aligned((size_t)sysconf(_SC_PAGESIZE), size); }

FHI_EXPORT void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (size > FHI_SIZE_MAX - page) {
    errno = ENOMEM;
    return NULL;
  }
  return aligned(page, size == 0 ? page : (size + page - 1) & ~(page - 1));
}

FHI_EXPORT size_t malloc_usable_size(void *p) { return fhi_usable_size(p); }

FHI_EXPORT void free_sized(void *p, size_t size) { fhi_free_sized_any(p, size); }

FHI_EXPORT void free_aligned_sized(void *p, size_t alignment, size_t size) {
  fhi_check_alignment(p, alignment);
  fhi_free_sized_any(p, size);
}

// 1 if there was anything to give back.
FHI_EXPORT int malloc_trim(size_t pad) {
  (void)pad;
  return fhi_trim() != 0;
}

// 1, "done", for the parameters that tune glibc's own machinery: nothing that a program can rely on is left undone. 0 for those
// that ask for an effect which is not had here, and for numbers that mean nothing.
FHI_EXPORT int mallopt(int parameter, int value) {
  (void)value;
  switch (parameter) {
  case M_MXFAST:
  case M_TRIM_THRESHOLD:
  case M_TOP_PAD:
  case M_MMAP_THRESHOLD:
  case M_MMAP_MAX:
  case M_ARENA_TEST:
  case M_ARENA_MAX:
    return 1;
  default:
    return 0;
  }
}

// Fields that have no meaning here are 0: fast bins, and what has never been anything but 0 in glibc.
FHI_EXPORT struct mallinfo2 mallinfo2(void) {
  struct fhi_glibc_info info = fhi_stats_glibc();
  return (struct mallinfo2){
      .arena = info.segment_bytes,
      .ordblks = info.free_pages,
      .hblks = info.huge_blocks,
      .hblkhd = info.huge_bytes,
      .uordblks = info.live_bytes,
      .fordblks = info.segment_bytes - info.live_bytes,
      .keepcost = info.idle_bytes,
  };
}

static int narrow(size_t n) { return n > INT32_MAX ? INT32_MAX : (int)n; }

FHI_EXPORT struct mallinfo mallinfo(void) {
  struct mallinfo2 wide = mallinfo2();
  return (struct mallinfo){
      .arena = narrow(wide.arena),
      .ordblks = narrow(wide.ordblks),
      .hblks = narrow(wide.hblks),
      .hblkhd = narrow(wide.hblkhd),
      .uordblks = narrow(wide.uordblks),
      .fordblks = narrow(wide.fordblks),
      .keepcost = narrow(wide.keepcost),
  };
}

FHI_EXPORT void malloc_stats(void) { fh_stats_print(STDERR_FILENO, FH_STATS_TEXT); }

FHI_EXPORT int malloc_info(int options, FILE *stream) {
  if (options != 0) {
    errno = EINVAL;
    return -1;
  }
  struct fhi_text text = fhi_stats_whole(fhi_stats_xml);
  if (!text.buffer) {
    errno = ENOMEM;
    return -1;
  }
  bool written = fwrite(text.buffer, 1, text.length, stream) == text.length;
  fhi_text_drop(&text);
  return written ? 0 : -1;
}
