// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// limits.c - memory runs out: `limits [MIB]` allocates blocks of each size until there are none, and expects NULL with ENOMEM
// after at least 200 MiB, all blocks whole, and the same again after they are freed. MIB: limits its own address space first,
// when the heap is at work already. `limits rss` prints the program's resident memory in KiB, `limits occupied` puts a mapping in
// the heap's way, `limits ahead` takes addresses away that the heap has mapped ahead, `limits little` runs under a
// FREEHOLD_LIMIT of 8M. Uses plain malloc: run under LD_PRELOAD.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct block {
  struct block *next;
  size_t size;
};

static size_t fill_up(size_t size) {
  struct block *list = NULL, *p;
  size_t got = 0;
  errno = 0;
  while ((p = malloc(size)) != NULL) {
    p->next = list;
    p->size = size;
    if (size > sizeof *p)
      ((char *)p)[size - 1] = 1;
    list = p;
    got += size;
  }
  CHECK(errno == ENOMEM);
  CHECK(calloc(1, (size_t)1 << 40) == NULL && errno == ENOMEM);
  while (list) {
    struct block *next = list->next;
    CHECK(list->size == size);
    free(list);
    list = next;
  }
  return got >> 20;
}

static int resident_kib(void) {
  char text[64] = {0};
  int file = open("/proc/self/statm", O_RDONLY);
  CHECK(read(file, text, sizeof text - 1) > 0);
  return (int)strtol(strchr(text, ' '), NULL, 10) * 4;
}

static size_t address_space(void) {
  char text[64] = {0};
  int file = open("/proc/self/statm", O_RDONLY);
  CHECK(read(file, text, sizeof text - 1) > 0);
  close(file);
  return strtoul(text, NULL, 10) * 4096;
}

// Somebody's mapping lies where a block would, and there is no room to find out where: the room behind is not lost for that.
static void occupied(void) {
  char *first = malloc((size_t)64 << 20), *behind;
  struct rlimit limit, none;
  CHECK(first && getrlimit(RLIMIT_AS, &none) == 0);
  behind = (char *)((uintptr_t)first & ~(((uintptr_t)4 << 20) - 1)) + ((size_t)104 << 20);
  CHECK(mmap(behind, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == behind);
  limit = (struct rlimit){address_space() + (2 << 20), none.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK(malloc((size_t)64 << 30) == NULL && errno == ENOMEM);
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  char *next = malloc((size_t)30 << 20);
  CHECK(next > first && next < behind + ((size_t)64 << 20));
  free(next);
  free(first);
}

// What is mapped for segments to come is given up where there are no addresses left.
static void mapped_ahead(void) {
  enum { Count = 20000, Size = 500 };
  void *first = NULL;
  struct rlimit limit, none;
  for (int i = 0; i < Count; ++i) {
    void **p = malloc(Size);
    CHECK(p);
    *p = first;
    first = p;
  }
  CHECK(getrlimit(RLIMIT_AS, &none) == 0);
  limit = (struct rlimit){address_space() + (1 << 20), none.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  size_t mib = fill_up((size_t)6 << 20);
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  fprintf(stderr, "%zu MiB where 1 MiB of addresses was left\n", mib);
  CHECK(mib >= 18);
  for (void *next; first; first = next) {
    next = *(void **)first;
    free(first);
  }
}

// Under a limit of a few segments all of them are used, for blocks of one size too.
static void all_of_little(void) {
  size_t mib = fill_up(500);
  fprintf(stderr, "%zu MiB in blocks of 500 bytes\n", mib);
  CHECK(mib >= 6);
}

int main(int argc, char **argv) {
  static const size_t Sizes[] = {16,     100,    3000,   30000,  33000,   40000,   50000,   60000,   100000,  150000,
                                 250000, 270000, 500000, 800000, 1 << 20, 1100000, 1400000, 2100000, 3000000, 20000000};
  bool short_of = false;
  free(malloc(10));
  if (argc > 1 && strcmp(argv[1], "rss") == 0) {
    printf("%d\n", resident_kib());
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "occupied") == 0) {
    occupied();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "little") == 0) {
    all_of_little();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "ahead") == 0) {
    mapped_ahead();
    return 0;
  }
  if (argc > 1) {
    struct rlimit limit = {strtoul(argv[1], NULL, 10) << 20, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    void *others = mmap(NULL, (size_t)200 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(others != MAP_FAILED); // the heap has nothing of what the limit allows, but for what it uses
    CHECK(munmap(others, (size_t)200 << 20) == 0);
  }
  // What is far beyond the limit takes nothing from what is left.
  for (unsigned gib = 1; gib <= 512; gib *= 2)
    CHECK(malloc((size_t)gib << 30) == NULL && errno == ENOMEM);
  for (int round = 0; round < 2; ++round)
    for (unsigned i = 0; i < sizeof Sizes / sizeof Sizes[0]; ++i) {
      size_t mib = fill_up(Sizes[i]);
      if (mib < 200)
        fprintf(stderr, "only %zu MiB in blocks of %zu bytes, round %d\n", mib, Sizes[i], round);
      short_of |= mib < 200;
    }
  CHECK(!short_of);
  return 0;
}
