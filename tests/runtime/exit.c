// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit.c - what threads leave behind. Keys made before and after ours, re-armed through all four rounds, allocate and free blocks
// of both kinds; then threads that end with live local blocks. Memory stays bounded over 3,000 threads of each kind.
#include "heaps.h"

#include <pthread.h>

static pthread_key_t Before, After;
static void churn(void) {
  void *local[40], *shared[40];
  for (int i = 0; i < 40; ++i) {
    local[i] = fh_tls_malloc(16 + (size_t)i * 50);
    shared[i] = fhi_shared_malloc(16 + (size_t)i * 50);
    fill(local[i], 16, (unsigned)i);
    fill(shared[i], 16, (unsigned)i);
  }
  for (int i = 0; i < 40; ++i) {
    CHECK(filled(local[i], 16, (unsigned)i) && filled(shared[i], 16, (unsigned)i));
    fhi_free(local[i]);
    fhi_free(shared[i]);
  }
}

// The value is a local block that holds the key and the round.
struct armed {
  pthread_key_t *key;
  int round;
  void *shared;
};
static void destroy(void *value) {
  struct armed *armed = value;
  pthread_key_t *key = armed->key;
  int round = armed->round;
  churn();
  fhi_free(armed->shared);
  fhi_free(armed);
  if (round == LAST_ROUND)
    return;
  armed = fh_tls_malloc(sizeof *armed);
  *armed = (struct armed){key, round + 1, fhi_shared_malloc(3000)};
  pthread_setspecific(*key, armed);
}

static void arm(pthread_key_t *key) {
  struct armed *armed = fh_tls_malloc(sizeof *armed);
  *armed = (struct armed){key, 1, fhi_shared_malloc(100)};
  pthread_setspecific(*key, armed);
}

static void *with_keys(void *argument) {
  (void)argument;
  arm(&Before);
  arm(&After);
  churn();
  return NULL;
}

// Ends with live local blocks of every kind: their memory must go.
static void *leaky(void *argument) {
  (void)argument;
  for (int i = 0; i < 200; ++i)
    memset(fh_tls_malloc(500), 1, 500);
  memset(fh_tls_malloc(100000), 1, 100000);
  memset(fh_tls_malloc(3000000), 1, 100000);
  return NULL;
}

// The first heap of the thread is made in the last round of destructors, after our key's turn.
static void late(void *value) {
  uintptr_t round = (uintptr_t)value;
  if (round < LAST_ROUND)
    pthread_setspecific(After, (void *)(round + 1));
  else
    memset(fh_tls_malloc(5000), 1, 5000);
}
static void *late_maker(void *argument) {
  pthread_setspecific(After, (void *)(uintptr_t)1);
  return argument;
}

static void run(void *(*body)(void *), int count) {
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    pthread_join(thread, NULL);
  }
}

// Slots whose addresses are lost: where every block was freed, none may be.
static size_t retired(void) {
  size_t count = 0;
  for (size_t i = 0; i < FHI_SLOTS_A_KIND; ++i)
    count += fhi_slot_retired((void *)(FH_LOCAL_BASE + (i << FHI_SLOT_SHIFT)));
  return count;
}

static void bounded(void *(*body)(void *), long limit, size_t addresses, const char *what) {
  run(body, 200);
  long before = resident();
  size_t mapped = fhi_mapped_bytes();
  run(body, 3000);
  long grown = resident() - before;
  fprintf(stderr, "%s: grew by %ld KiB over 3000 threads, mapped %zu -> %zu KiB\n", what, grown, mapped >> 10,
          fhi_mapped_bytes() >> 10);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FREEHOLD_SANITIZED)
  CHECK(grown < limit);
#else
  (void)limit;
#endif
  CHECK(fhi_mapped_bytes() <= mapped + (addresses << 20));
}

int main(void) {
  heaps_start();
  CHECK(pthread_key_create(&Before, destroy) == 0);
  fhi_free(fh_tls_malloc(1)); // our key
  CHECK(pthread_key_create(&After, destroy) == 0);
  bounded(with_keys, 2000, 4, "keys in four rounds");
  CHECK(retired() == 0);
  bounded(leaky, 4000, 8, "live local blocks");
  pthread_key_delete(After);
  CHECK(pthread_key_create(&After, late) == 0);
  if (LAST_ROUND == 4)
    bounded(late_maker, 14000, 64, "heap made in the last round");
  return 0;
}
