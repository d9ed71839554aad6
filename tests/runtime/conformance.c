// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// conformance.c - the malloc family as glibc's manual, C and POSIX have it. It is run on glibc itself too, so that what is
// expected here is what glibc 2.36 does; argument "ours" for libfreehold's. The differences, each where Ours is asked:
//   aligned_alloc of an alignment that is no power of two: EINVAL, as C17 and glibc since 2.38; 2.36 rounds it up.
//   posix_memalign: errno is left alone, as its result is the error; glibc's sets it as well.
//   malloc_info of options that do not exist: -1 and EINVAL, as its manual page; 2.36 returns EINVAL.
//   mallopt: 1 for glibc's tuning parameters, which change nothing, and 0 for all else; 2.36 returns 1 for any number.
//   free_sized, free_aligned_sized (C23) are ours only.
#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <wchar.h>

#include "freehold/abi.h"

extern void free_sized(void *p, size_t size) __attribute__((weak));
extern void free_aligned_sized(void *p, size_t alignment, size_t size) __attribute__((weak));

static int Ours;
static void *volatile Sink;
#define KEEP(x) (Sink = (x))
static volatile size_t Zero = 0, Max = SIZE_MAX;

static int aligned_to(const void *p, size_t alignment) { return p && ((uintptr_t)p & (alignment - 1)) == 0; }

static void *block(void *p, size_t size) {
  CHECK(aligned_to(p, 16) && malloc_usable_size(p) >= size);
  if (Ours)
    CHECK((uintptr_t)p - FH_SHARED_BASE < (uintptr_t)1 << FH_RANGE_BITS);
  return memset(p, 0xa5, size);
}

#define FAILS(call, error)                                                                                                       \
  do {                                                                                                                           \
    errno = 0;                                                                                                                   \
    CHECK(KEEP(call) == NULL && errno == (error));                                                                               \
  } while (0)

static void zero_sizes(void) {
  void *p = malloc(Zero), *q = malloc(Zero);
  CHECK(aligned_to(p, 16) && aligned_to(q, 16) && p != q);
  p = realloc(p, Zero); // frees
  CHECK(p == NULL);
  free(q);
  p = calloc(Zero, 10);
  q = calloc(10, Zero);
  CHECK(p && q && p != q);
  free(p);
  CHECK(reallocarray(q, Zero, 8) == NULL);
  CHECK((p = realloc(NULL, Zero)) != NULL && (q = reallocarray(NULL, 8, Zero)) != NULL);
  free(p);
  free(q);
  CHECK(posix_memalign(&p, 64, Zero) == 0 && aligned_to(p, 64));
  free(p);
  CHECK(aligned_to(p = memalign(256, Zero), 256));
  free(p);
  CHECK(aligned_to(p = valloc(Zero), 4096) && aligned_to(q = pvalloc(Zero), 4096));
  free(p);
  free(q);
  CHECK(malloc_usable_size(NULL) == 0);
}

static void too_much(void) {
  void *p = block(malloc(100), 100);
  for (unsigned cut = 0; cut < 3; ++cut) {
    size_t size = cut == 0 ? Max : cut == 1 ? Max / 2 + 1 : Max - 4096;
    FAILS(malloc(size), ENOMEM);
    FAILS(calloc(1, size), ENOMEM);
    FAILS(realloc(p, size), ENOMEM);
    FAILS(realloc(NULL, size), ENOMEM);
    FAILS(aligned_alloc(64, size), ENOMEM);
    FAILS(memalign(4096, size), ENOMEM);
    FAILS(valloc(size), ENOMEM);
    FAILS(pvalloc(size), ENOMEM);
    void *untouched = &p;
    CHECK(posix_memalign(&untouched, 64, size) == ENOMEM && untouched == &p);
  }
  FAILS(calloc(Max / 2 + 2, 2), ENOMEM);
  FAILS(calloc(Max / 16 + 1, 16), ENOMEM);
  FAILS(calloc((size_t)1 << 32, (size_t)1 << 32), ENOMEM);
  FAILS(reallocarray(p, Max / 2 + 2, 2), ENOMEM);
  FAILS(reallocarray(NULL, (size_t)1 << 33, (size_t)1 << 31), ENOMEM);
  FAILS(memalign(Max / 2 + 2, 1), EINVAL);
  FAILS(memalign(Max / 2 + 1, 1), ENOMEM);
  for (int i = 0; i < 100; ++i)
    CHECK(((unsigned char *)p)[i] == 0xa5); // a realloc that failed left it alone
  free(p);
}

static void alignments(void) {
  void *p;
  for (size_t alignment = 1; alignment <= 1 << 22; alignment *= 2)
    for (size_t size = 1; size <= 1 << 20; size *= 8) {
      CHECK(aligned_to(p = aligned_alloc(alignment, size), alignment));
      free(block(p, size));
      CHECK(aligned_to(p = memalign(alignment, size), alignment));
      free(block(p, size));
      p = NULL;
      int error = posix_memalign(&p, alignment, size);
      CHECK(alignment < sizeof(void *) ? error == EINVAL && !p : error == 0 && aligned_to(p, alignment));
      free(p);
    }
  p = &p;
  for (size_t wrong = 0; wrong < 100; ++wrong)
    if (wrong < 8 || (wrong & (wrong - 1)) != 0)
      CHECK(posix_memalign(&p, wrong, 100) == EINVAL && p == &p);
  CHECK(aligned_to(p = memalign(48, 100), 64));
  free(block(p, 100));
  CHECK((p = memalign(0, 100)) != NULL);
  free(block(p, 100));
  if (Ours) {
    FAILS(aligned_alloc(0, 100), EINVAL);
    FAILS(aligned_alloc(48, 100), EINVAL);
  }
  p = pvalloc(5000);
  CHECK(aligned_to(p, 4096) && malloc_usable_size(p) >= 8192);
  free(block(p, 8192));
}

// errno: of success nobody knows, of free that it stays, of failure what it is.
static void errors(void) {
  void *p = malloc(100), *large = malloc(50000), *huge = malloc(50 << 20);
  errno = 77;
  free(p);
  free(large);
  free(huge);
  free(NULL);
  CHECK(errno == 77);
  if (Ours) {
    CHECK(posix_memalign(&p, 64, Max / 2) == ENOMEM && errno == 77);
    CHECK(posix_memalign(&p, 3, 1) == EINVAL && errno == 77);
  }
}

static unsigned char pattern(size_t i) { return (unsigned char)(i * 31 + (i >> 8)); }

static void contents(void) {
  static const size_t Sizes[] = {1, 24, 25, 1000, 1025, 5000, 40000, 70000, 2100000, 9000000, 3000000, 60000, 30000, 999, 10};
  unsigned char *p = NULL;
  size_t had = 0;
  for (unsigned i = 0; i < sizeof Sizes / sizeof *Sizes; ++i) {
    p = realloc(p, Sizes[i]);
    CHECK(aligned_to(p, 16) && malloc_usable_size(p) >= Sizes[i]);
    for (size_t j = 0; j < had && j < Sizes[i]; ++j)
      CHECK(p[j] == pattern(j));
    for (size_t j = 0; j < Sizes[i]; ++j)
      p[j] = pattern(j);
    had = Sizes[i];
  }
  free(p);
  for (unsigned i = 0; i < sizeof Sizes / sizeof *Sizes; ++i) {
    free(block(malloc(Sizes[i]), Sizes[i]));
    p = calloc(1, Sizes[i]);
    for (size_t j = 0; j < Sizes[i]; ++j)
      CHECK(p[j] == 0);
    // All of what malloc_usable_size names may be used.
    size_t usable = malloc_usable_size(p);
    memset(p, 1, usable);
    p = realloc(p, usable + 1);
    CHECK(p && p[usable - 1] == 1);
    free(p);
  }
}

// What allocates behind the program's back goes through malloc, and its blocks are free's.
static void libc_functions(void) {
  char *text = NULL, *p;
  size_t size = 0;
  free(block(strdup("text"), 5));
  free(block(strndup("longer text", 4), 5));
  CHECK(asprintf(&text, "%0*d", 3000, 7) == 3000);
  free(block(text, 3001));
  wchar_t *wide = wcsdup(L"wide");
  free(block(wide, 5 * sizeof *wide));
  free(block(p = realpath("/", NULL), 2));
  free(block(p = getcwd(NULL, 0), 2));
  FILE *stream = open_memstream(&text, &size);
  CHECK(stream && fprintf(stream, "%0*d", 100000, 7) == 100000 && fclose(stream) == 0 && size == 100000);
  free(block(text, size));
  CHECK(dlsym(RTLD_DEFAULT, "cfree") == NULL);
}

static void c23(void) {
  CHECK(!Ours || (free_sized && free_aligned_sized));
  if (!free_sized)
    return;
  for (size_t size = 1; size < 5000000; size *= 3) {
    free_sized(malloc(size), size);
    free_sized(calloc(1, size), size);
    free_sized(realloc(malloc(1), size), size);
    free_aligned_sized(aligned_alloc(128, size), 128, size);
  }
  free_sized(NULL, 10);
  free_aligned_sized(NULL, 64, 10);
}

static void tuning(void) {
  CHECK(mallopt(M_MMAP_THRESHOLD, 256 << 10) == 1 && mallopt(M_TRIM_THRESHOLD, 1 << 20) == 1 && mallopt(M_TOP_PAD, 0) == 1);
  CHECK(mallopt(M_ARENA_MAX, 4) == 1);
  if (Ours)
    CHECK(mallopt(M_PERTURB, 5) == 0 && mallopt(12345, 1) == 0);
}

// The fields move by what is allocated and freed.
static void numbers(void) {
  enum { Count = 200, Size = 20000 };
  void *held[Count];
  struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < Count; ++i)
    held[i] = block(malloc(Size), Size);
  struct mallinfo2 full = mallinfo2();
  CHECK(full.uordblks >= before.uordblks + Count * Size && full.uordblks < before.uordblks + Count * Size * 5 / 4);
  CHECK(full.arena >= full.uordblks && full.arena == full.uordblks + full.fordblks);
  void *huge = malloc(40 << 20);
  struct mallinfo2 more = mallinfo2();
  CHECK(more.hblks == full.hblks + 1 && more.hblkhd >= full.hblkhd + (40 << 20) && more.uordblks < full.uordblks + Size);
  struct mallinfo narrow = mallinfo();
  CHECK((size_t)narrow.hblkhd == more.hblkhd && narrow.hblks == (int)more.hblks && (size_t)narrow.arena == more.arena);
  free(huge);
  for (int i = 0; i < Count; ++i)
    free(held[i]);
  struct mallinfo2 after = mallinfo2();
  CHECK(after.hblks == full.hblks && after.uordblks < before.uordblks + Size && after.keepcost <= after.fordblks);
  CHECK(malloc_trim(0) == 1);
}

static void printed(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  CHECK(stream && malloc_info(0, stream) == 0 && fclose(stream) == 0);
  CHECK(strstr(text, "<malloc version=\"1\">") && strstr(text, "<heap nr=\"0\"") && strstr(text, "</malloc>"));
  CHECK(strstr(text, "<total type=\"rest\"") && strstr(text, "<total type=\"mmap\"") && strstr(text, "<system type=\"current\""));
  free(text);
  errno = 0;
  int wrong = malloc_info(1, stdout);
  CHECK(Ours ? wrong == -1 && errno == EINVAL : wrong == EINVAL);
}

int main(int argc, char **argv) {
  Ours = argc > 1 && strcmp(argv[1], "ours") == 0;
  if (argc > 1 && strcmp(argv[1], "info") == 0) { // for who parses it
    KEEP(malloc(100));
    CHECK(malloc_info(0, stdout) == 0);
    malloc_stats();
    return 0;
  }
  zero_sizes();
  too_much();
  alignments();
  errors();
  contents();
  libc_functions();
  c23();
  numbers();
  printed();
  tuning(); // last: on glibc it changes what the others see
  puts("done");
  return 0;
}
