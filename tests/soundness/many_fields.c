// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-14: more words than any cap on fields.
#include "soundness.h"

#define WORDS 2000

static void *user(void *arg) {
  int **words = arg;
  *words[1999] += 1;
  *words[1234] += 1;
  return NULL;
}

int main(void) {
  struct {
    int *word[WORDS];
  } *big = calloc(1, sizeof *big); // shared: FH102
#define PUT(N) big->word[N] = &slots[0]
  int *slots = calloc(4, sizeof *slots); // shared: FH102
#define TEN(N) PUT(N), PUT(N + 1), PUT(N + 2), PUT(N + 3), PUT(N + 4), PUT(N + 5), PUT(N + 6), PUT(N + 7), PUT(N + 8), PUT(N + 9)
#define HUNDRED(N)                                                                                                               \
  TEN(N), TEN(N + 10), TEN(N + 20), TEN(N + 30), TEN(N + 40), TEN(N + 50), TEN(N + 60), TEN(N + 70), TEN(N + 80), TEN(N + 90)
  HUNDRED(0), HUNDRED(100), HUNDRED(200), HUNDRED(300);
  big->word[1999] = calloc(1, sizeof(int)); // shared: FH102
  big->word[1234] = calloc(1, sizeof(int)); // shared: FH102
  on_thread(user, big);
  EXPECT(*big->word[1999] == 1);
  free(big->word[1999]);
  free(big->word[1234]);
  free(slots);
  free(big);
  return 0;
}
