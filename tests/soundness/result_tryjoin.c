// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-3: a result taken by pthread_timedjoin_np.
#include "soundness.h"
#include <time.h>

static void *maker(void *arg) {
  int *result = malloc(sizeof *result); // shared: FH103
  *result = 42;
  return result;
}

int main(void) {
  pthread_t thread;
  void *result = NULL;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 60;
  EXPECT(pthread_create(&thread, NULL, maker, NULL) == 0);
  EXPECT(pthread_timedjoin_np(thread, &result, &until) == 0);
  EXPECT(*(int *)result == 42);
  free(result);
  return 0;
}
