// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// family.h - what every function of the local heap promises, for one of the two families. Included twice, with F(name) giving the
// family's function and C(name, ...) a call of it; calls are written out so that they are inlined where the build inlines.

#define BIG_ERRNO(expression)                                                                                                    \
  (errno = 0, CHECK((expression) == NULL), CHECK(errno == ENOMEM)) // no memory for it, and errno says so

static void F(sizes)(void) {
  for (size_t size = 0; size < 6000000; size += size < 2100 ? 1 : size < 70000 ? 997 : 700001) {
    unsigned char *p = C(malloc, size), *q = C(malloc, size);
    CHECK(p && q && p != q && ((uintptr_t)p & 15) == 0);
    CHECK(fh_is_local(p) == Local && fh_is_local(q) == Local);
    fill(p, size, 1);
    fill(q, size, 2);
    CHECK(filled(p, size, 1));
    C(free_sized, p, size);
    unsigned char *zeroes = C(calloc, 1, size); // as a rule the block that was just freed
    CHECK(zeroes && filled(q, size, 2));
    for (size_t i = 0; i < size; i += stride(i))
      CHECK(zeroes[i] == 0);
    C(free, q);
    C(free_sized, zeroes, size);
  }
  // Sizes that the compiler knows.
  void *blocks[] = {C(malloc, 0),    C(malloc, 1),     C(malloc, 16),   C(malloc, 1024),
                    C(malloc, 1025), C(malloc, 32768), C(malloc, 32769)};
  static const size_t of[] = {0, 1, 16, 1024, 1025, 32768, 32769};
  for (int i = 0; i < 7; ++i)
    fill(blocks[i], of[i], (unsigned)i);
  for (int i = 0; i < 7; ++i)
    CHECK(filled(blocks[i], of[i], (unsigned)i));
  C(free_sized, blocks[0], 0);
  C(free_sized, blocks[1], 1);
  C(free_sized, blocks[2], 16);
  C(free_sized, blocks[3], 1024);
  C(free_sized, blocks[4], 1025);
  C(free_sized, blocks[5], 32768);
  C(free_sized, blocks[6], 32769);
  uint64_t *some = C(calloc, 4, 8);
  CHECK(some && some[0] == 0 && some[3] == 0);
  memset(some, 1, 32);
  C(free_sized, some, 32);
  some = C(calloc, 4, 8);
  CHECK(some && some[0] == 0 && some[3] == 0);
  C(free, some);
}

static void F(too_much)(void) {
  volatile size_t most = SIZE_MAX, half = PTRDIFF_MAX; // not for the compiler to see
  BIG_ERRNO(C(malloc, most));
  BIG_ERRNO(C(malloc, half + 1));
  BIG_ERRNO(C(calloc, half, 3));
  BIG_ERRNO(C(calloc, most, most));
  BIG_ERRNO(C(realloc, NULL, most));
  BIG_ERRNO(C(aligned_alloc, 64, half));
  for (size_t size = 10; size < 6000000; size *= 9) {
    char *p = C(malloc, size);
    fill(p, size, 3);
    BIG_ERRNO(C(realloc, p, most - 100));
    CHECK(filled(p, size, 3));
    C(free, p);
  }
}

static void F(resizing)(void) {
  static const size_t sizes[] = {1,       40,      5000,   100,     32768,   40000, 32768,    60000, 1,
                                 2000000, 3000000, 131072, 9000000, 8900000, 15,    20000000, 500};
  enum { Count = sizeof sizes / sizeof sizes[0] };
  char *p = C(realloc, NULL, sizes[0]);
  size_t kept = sizes[0];
  fill(p, kept, 9);
  for (int i = 1; i < Count; ++i) {
    p = C(realloc, p, sizes[i]);
    CHECK(p && fh_is_local(p) == Local);
    if (kept > sizes[i])
      kept = sizes[i];
    CHECK(filled(p, kept, 9));
    fill(p, kept = sizes[i], 9);
    // A block that was resized is freed by its last size as well as without.
    char *q = C(realloc, NULL, sizes[i - 1]);
    q = C(realloc, q, sizes[i]);
    C(free_sized, q, sizes[i]);
    char *r = C(malloc, sizes[i]), *s = C(malloc, sizes[i]);
    fill(r, sizes[i], 4);
    fill(s, sizes[i], 5);
    CHECK(filled(r, sizes[i], 4) && filled(p, kept, 9));
    C(free, r);
    C(free_sized, s, sizes[i]);
  }
  CHECK(C(realloc, p, 0) == NULL);
}

static void F(aligned)(void) {
  static const size_t bad[] = {0, 3, 24, SIZE_MAX};
  for (int i = 0; i < 4; ++i) {
    errno = 0;
    CHECK(C(aligned_alloc, bad[i], 64) == NULL && errno == EINVAL);
  }
  for (size_t alignment = 1; alignment <= (8u << 20); alignment *= 2)
    for (size_t size = 0; size <= 3000000; size = size * 5 + 7) {
      char *p = C(aligned_alloc, alignment, size), *q = C(aligned_alloc, alignment, size);
      CHECK(p && q && p != q && ((uintptr_t)p & (alignment - 1)) == 0 && ((uintptr_t)q & (alignment - 1)) == 0);
      CHECK(fh_is_local(p) == Local);
      fill(p, size, 1);
      fill(q, size, 2);
      CHECK(filled(p, size, 1));
      C(free, p);
      CHECK(filled(q, size, 2));
      q = C(realloc, q, size + 1);
      CHECK(filled(q, size, 2));
      C(free, q);
    }
}

static void F(strings)(void) {
  char *s = C(strdup, ""), *t = C(strdup, "a block of one thread"), *u = C(strndup, "ownership", 5), *v = C(strndup, "own", 100);
  CHECK(strcmp(s, "") == 0 && strcmp(t, "a block of one thread") == 0 && strcmp(u, "owner") == 0 && strcmp(v, "own") == 0);
  const char unended[3] = {'a', 'b', 'c'};
  char *w = C(strndup, unended, 3);
  CHECK(strcmp(w, "abc") == 0);
  CHECK(fh_is_local(t) == Local);
  C(free_sized, s, 1);
  C(free_sized, t, sizeof "a block of one thread");
  C(free_sized, u, 6);
  C(free, v);
  C(free, w);
}

static void F(nothing)(void) {
  errno = 77;
  C(free, NULL);
  C(free_sized, NULL, 24);
  C(free_sized, NULL, 100000);
  void *p = C(malloc, 50), *q = C(malloc, 5000000);
  errno = 77;
  C(free, p);
  C(free, q);
  CHECK(errno == 77);
}

// Blocks of either kind meet in every free.
static void F(both_kinds)(void) {
  if (!Ours)
    return; // another malloc's blocks are not known as such here
  for (size_t size = 1; size < 3000000; size = size * 3 + 1) {
    void *kept[40];
    for (int i = 0; i < 40; ++i)
      kept[i] = i & 1 ? malloc(size) : C(malloc, size);
    for (int i = 0; i < 40; ++i)
      fill(kept[i], size < 100 ? size : 100, (unsigned)i);
    for (int i = 0; i < 40; ++i) {
      CHECK(filled(kept[i], size < 100 ? size : 100, (unsigned)i));
      if (i % 4 < 2)
        C(free_sized, kept[i], size);
      else if (i % 8 < 6)
        C(free, kept[i]);
      else
        free(kept[i]);
    }
    // Nothing changed sides.
    for (int i = 0; i < 40; ++i)
      kept[i] = i & 1 ? malloc(size) : C(malloc, size);
    for (int i = 0; i < 40; ++i) {
      CHECK(!Local || fh_is_local(kept[i]) == (i % 2 == 0));
      C(free, kept[i]);
    }
  }
}

static void F(family)(void) {
  F(sizes)();
  F(too_much)();
  F(resizing)();
  F(strings)();
  F(nothing)();
  F(both_kinds)();
}

#undef BIG_ERRNO
