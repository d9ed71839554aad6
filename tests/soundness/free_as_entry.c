// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-24: free is the thread's entry.
#include "soundness.h"

static void *release(void *arg) {
  free(arg);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void *block = malloc(100); // shared: FH102
  void *other = malloc(100); // shared: FH102
  EXPECT(pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))free, block) == 0);
  pthread_join(thread, NULL);
  on_thread(release, other);
  return 0;
}
