// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_agree.c FILE - fh_stats_read, mallinfo2 and malloc_info say the same: what malloc_info writes goes to FILE, what the
// others say to standard output as NAME VALUE lines, for a script to compare. Nothing is allocated between the three.
#include "check.h"

#include <malloc.h>
#include <pthread.h>

#include "freehold/heap.h"
#include "freehold/stats.h"

static pthread_barrier_t Barrier;

static void *other(void *unused) {
  void *p = fh_tls_malloc(1000), *q = malloc(100000);
  CHECK(p && q);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  fh_tls_free(p);
  free(q);
  return unused;
}

int main(int argc, char **argv) {
  static char buffer[1 << 16];
  pthread_t thread;
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
  CHECK(file && setvbuf(file, buffer, _IOFBF, sizeof buffer) == 0);
  setvbuf(stdout, NULL, _IONBF, 0);
  void *huge = malloc(30 << 20), *local = fh_tls_malloc(300), *hugelocal = fh_tls_malloc(10 << 20), *shared = calloc(100, 50);
  CHECK(huge && local && hugelocal && shared);
  CHECK(pthread_barrier_init(&Barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, other, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(fh_stats_read(&stats));
  struct mallinfo2 info = mallinfo2();
  CHECK(malloc_info(0, file) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(fclose(file) == 0);
  printf("heaps %u\n", stats.local.heaps + stats.shared.heaps);
  printf("live %zu\n", (size_t)(stats.local.live_bytes + stats.shared.live_bytes));
  printf("huge %zu\n", (size_t)(stats.local.huge_bytes + stats.shared.huge_bytes));
  printf("huge-blocks %u\n", stats.local.huge_blocks + stats.shared.huge_blocks);
  printf("segments %u\n", stats.local.segments + stats.shared.segments);
  printf("pages %u\n", stats.local.pages + stats.shared.pages);
  printf("idle %zu\n", (size_t)(stats.local.idle_bytes + stats.shared.idle_bytes));
  printf("arena %zu\nuordblks %zu\nfordblks %zu\nordblks %zu\nhblks %zu\nhblkhd %zu\nkeepcost %zu\n", info.arena, info.uordblks,
         info.fordblks, info.ordblks, info.hblks, info.hblkhd, info.keepcost);
  pthread_join(thread, NULL);
  free(huge);
  fh_tls_free(local);
  fh_tls_free(hugelocal);
  free(shared);
  return 0;
}
