// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-9: key destructors that set their keys again through all rounds free blocks of their thread.
#include "soundness.h"

static pthread_key_t first, second;

static void destroy(void *value) {
  int *rounds = value;
  if (--*rounds > 0) {
    int *again = malloc(sizeof *again); // local
    *again = *rounds;
    pthread_setspecific(second, again);
  }
  free(rounds);
}

static void *user(void *arg) {
  int *mine = malloc(sizeof *mine); // local
  *mine = 3;
  pthread_setspecific(first, mine);
  return NULL;
}

int main(void) {
  EXPECT(pthread_key_create(&first, destroy) == 0 && pthread_key_create(&second, destroy) == 0);
  for (int i = 0; i < 3; i++)
    on_thread(user, NULL);
  return 0;
}
