// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// override_api.c - the standard functions of the process: errno, overflow, alignment, zero sizes; local blocks in free, realloc
// and malloc_usable_size where this is linked with libfreehold (argument "ours"), and the same calls where another malloc stands
// in front.
#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#ifdef WITH_FREEHOLD
#include "freehold/tls_malloc.h"
#endif

extern void free_sized(void *p, size_t size) __attribute__((weak));
extern void free_aligned_sized(void *p, size_t alignment, size_t size) __attribute__((weak));

static void *volatile Sink;
static volatile size_t Huge = SIZE_MAX, HalfHuge = SIZE_MAX / 2 + 2;
#define KEEP(x) (Sink = (x))

// What other allocators get wrong is not held against us.
static void impossible(void) {
  void *p;
  errno = 0;
  CHECK(KEEP(malloc(Huge)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(KEEP(malloc(Huge / 2 + 1)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(KEEP(calloc(HalfHuge, 2)) == NULL && errno == ENOMEM);
  errno = 0;
  p = malloc(10);
  CHECK(KEEP(realloc(p, Huge)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK(KEEP(reallocarray(p, HalfHuge, 2)) == NULL && errno == ENOMEM);
  free(p);
  CHECK(posix_memalign(&p, 8, Huge / 2) == ENOMEM);
}

static void standard(void) {
  void *p, *q;
  p = malloc(10);
  p = reallocarray(p, 10, 10);
  CHECK(p && malloc_usable_size(p) >= 100);
  errno = 77;
  free(p);
  free(NULL);
  CHECK(errno == 77);
  p = malloc(0);
  q = malloc(0);
  CHECK(p && q && p != q);
  free(p);
  free(q);
  CHECK(malloc_usable_size(NULL) == 0);
  CHECK(posix_memalign(&p, 3, 10) == EINVAL && posix_memalign(&p, 4, 10) == EINVAL);
  CHECK(posix_memalign(&p, 8192, 10) == 0 && ((uintptr_t)p & 8191) == 0);
  free(p);
  for (size_t alignment = 16; alignment <= 1 << 21; alignment *= 2) {
    p = aligned_alloc(alignment, 3 * alignment);
    q = memalign(alignment, 7);
    CHECK(p && q && ((uintptr_t)p & (alignment - 1)) == 0 && ((uintptr_t)q & (alignment - 1)) == 0);
    memset(p, 1, 3 * alignment);
    p = realloc(p, 5 * alignment);
    CHECK(((char *)p)[3 * alignment - 1] == 1);
    free(p);
    free(q);
  }
  p = valloc(10);
  q = pvalloc(10);
  CHECK(((uintptr_t)p & 4095) == 0 && ((uintptr_t)q & 4095) == 0 && malloc_usable_size(q) >= 4096);
  free(p);
  free(q);
  p = calloc(1000, 1000);
  for (int i = 0; i < 1000000; i += 100)
    CHECK(((char *)p)[i] == 0);
  free(p);
  p = strdup("text");
  CHECK(strcmp(p, "text") == 0);
  free(p);
  if (free_sized) {
    free_sized(malloc(30), 30);
    free_aligned_sized(aligned_alloc(64, 128), 64, 128);
  }
  malloc_trim(0);
  (void)mallinfo2();
}

#ifdef WITH_FREEHOLD
static void local(int ours) {
  char *p = tls_malloc(100), *q = tls_calloc(3, 5000), *s = tls_strdup("local");
  CHECK(p && q && s && strcmp(s, "local") == 0 && q[14999] == 0);
  CHECK(fh_is_local(p) == ours && fh_is_local(q) == ours && fh_is_local(s) == ours);
  CHECK(malloc_usable_size(p) >= 100);
  memset(p, 1, 100);
  p = realloc(p, 100000);
  CHECK(p[99] == 1 && fh_is_local(p) == ours);
  p = tls_realloc(p, 50);
  CHECK(p[49] == 1);
  free(p);
  free(q);
  free(s);
  p = malloc(100);
  CHECK(!fh_is_local(p));
  p = tls_realloc(p, 1000000);
  tls_free(p);
  p = fh_tls_malloc_class(3);
  CHECK(p && fh_is_local(p) == ours && malloc_usable_size(p) >= 64);
  free(p);
  p = fh_tls_aligned_alloc(4096, 10);
  CHECK(((uintptr_t)p & 4095) == 0);
  free(p);
  void *r;
  CHECK(fh_tls_posix_memalign(&r, 64, 100) == 0 && fh_tls_posix_memalign(&r, 7, 100) == EINVAL);
  errno = 0;
  CHECK(!ours || (KEEP(fh_tls_malloc(Huge)) == NULL && errno == ENOMEM));
  CHECK(KEEP(fh_tls_reallocarray(NULL, HalfHuge, 2)) == NULL && errno == ENOMEM);
}
#endif

int main(int argc, char **argv) {
  int ours = argc > 1 && strcmp(argv[1], "ours") == 0;
  if (ours)
    impossible();
  standard();
#ifdef WITH_FREEHOLD
  local(ours);
#endif
  puts("done");
  return 0;
}
