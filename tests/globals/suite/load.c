// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load.c - threads that serve requests and end, others that follow them, resources that are registered in between.
#include "suite.h"

enum { LATE = 20, REQUESTS = 50 }; // a thread's
static ts_rsrc_id Ids[LATE];
static atomic_int Ready, Served;
static bool Silent;

static void request(long *counts) {
  int ready = atomic_load(&Ready);
  check_piece(AId, counts[LATE]);
  piece(AId)->value = ++counts[LATE];
  for (int i = 0; i < ready; ++i) {
    check_piece(Ids[i], counts[i]);
    piece(Ids[i])->value = ++counts[i];
  }
}

static void *serve_some(void *unused) {
  long counts[LATE + 1] = {0};
  CHECK(ts_resource(0));
  for (int i = 0; i < REQUESTS; ++i, atomic_fetch_add(&Served, 1))
    request(counts);
  if (!Silent)
    ts_free_thread();
  return unused;
}

static void *serve_many(void *requests) {
  for (long left = *(long *)requests; left > 0; left -= REQUESTS)
    in_thread(serve_some, NULL);
  return NULL;
}

static long resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
  fclose(file);
  return pages * 4096;
}

static void wait_for(long served) {
  while (atomic_load(&Served) < served)
    usleep(1000);
}

static void load(void) {
  int count = atoi(Arguments[2]);
  long requests = atol(Arguments[3]), all = count * requests;
  pthread_t threads[64];
  start();
  for (int i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], NULL, serve_many, &requests) == 0);
  for (int i = 0; i < LATE; ++i) {
    wait_for(i * all / LATE / 2);
    CHECK(ts_allocate_id(&Ids[i], sizeof(struct piece), make_piece, destroy_piece) == 3 + i);
    atomic_store(&Ready, i + 1);
  }
  wait_for(all * 6 / 10);
  long before = resident();
  wait_for(all * 9 / 10);
  long grown = resident() - before;
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  if (!Silent)
    CHECK(Destroyed == Made - 2 - LATE); // the main thread has its own
#ifndef FREEHOLD_SANITIZED
  CHECK(grown < 4 << 20);
#endif
  (void)grown;
  stop();
  CHECK(Made >= 2 * (1 + count * requests / REQUESTS) + LATE);
}

void test_load(void) { load(); }
void test_load_silent(void) {
  Silent = true;
  load();
}
