// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <freehold/globals.h>
#include <pthread.h>

struct counter {
  long calls;
};
#define FH_LAYOUT_own_counter 128
#define FH_LAYOUT_own_RESERVE 192
#define FH_LAYOUT_own_SIZE 512
#define FH_LAYOUT_own(X) X(counter, 128, sizeof(struct counter))
FH_GLOBALS_DECLARE(own);
FH_RESOURCE_DECLARE(own, counter);
FH_GLOBALS_DEFINE(own);
FH_RESOURCE_DEFINE(own, counter);
#define G(v) FH_G(own, counter, struct counter, v)

static void *run(void *unused) {
  (void)unused;
  if (!fh_globals_thread_init(&fh_globals_own))
    return (void *)-1L;
  FH_GLOBALS_FETCH(own);
  for (int i = 0; i < 1000; ++i)
    G(calls)++;
  return (void *)G(calls);
}

__attribute__((visibility("default"))) int count(void) {
  pthread_t threads[4];
  void *sum[4];
  long all = 0;
  if (fh_globals_startup(&fh_globals_own) || !FH_RESOURCE_REGISTER(own, counter, sizeof(struct counter), NULL, NULL))
    return 1;
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], &sum[i]);
    all += (long)sum[i];
  }
  return all == 4000 ? fh_globals_shutdown(&fh_globals_own) : 2;
}

#ifdef MAIN
int main(void) { return count(); }
#endif
