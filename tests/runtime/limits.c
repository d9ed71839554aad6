// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// limits.c - memory runs out: `limits [MIB]` allocates blocks of each size until there are none, and expects NULL with ENOMEM
// after at least 200 MiB, all blocks whole, and the same again after they are freed. MIB: limits its own address space first,
// when the heap is at work already. `limits rss` prints the program's resident memory in KiB. Uses plain malloc: run under
// LD_PRELOAD.
#include "check.h"

#include <errno.h>
#include <fcntl.h>
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

int main(int argc, char **argv) {
  static const size_t Sizes[] = {16, 100, 3000, 30000, 60000, 250000, 1 << 20, 3000000, 20000000};
  free(malloc(10));
  if (argc > 1 && strcmp(argv[1], "rss") == 0) {
    printf("%d\n", resident_kib());
    return 0;
  }
  if (argc > 1) {
    struct rlimit limit = {strtoul(argv[1], NULL, 10) << 20, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  // What is far beyond the limit takes nothing from what is left.
  for (unsigned gib = 1; gib <= 512; gib *= 2)
    CHECK(malloc((size_t)gib << 30) == NULL && errno == ENOMEM);
  for (int round = 0; round < 2; ++round)
    for (unsigned i = 0; i < sizeof Sizes / sizeof Sizes[0]; ++i) {
      size_t mib = fill_up(Sizes[i]);
      if (mib < 200)
        fprintf(stderr, "only %zu MiB in blocks of %zu bytes, round %d\n", mib, Sizes[i], round);
      CHECK(mib >= 200);
    }
  return 0;
}
