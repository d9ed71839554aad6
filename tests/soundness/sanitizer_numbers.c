// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3: UBSan's checks and the program's own use of addresses as numbers, side by side: only the checks are passed
// over.
//
// flags: -fsanitize=undefined,integer -fno-sanitize-recover=undefined
// link: -fsanitize=undefined,integer
#include "soundness.h"

struct node {
  struct node *next;
  long value;
  int parts[4];
  char end;
};

static uintptr_t guess;

static void *user(void *arg) {
  ((struct node *)guess)->value += 1;
  return arg;
}

/* One comparison a bit: the address is known in the end, though it was only compared. */
__attribute__((no_sanitize("unsigned-integer-overflow"))) static void find(struct node *p) {
  for (int bit = 47; bit >= 0; --bit) {
    uintptr_t next = guess | (uintptr_t)1 << bit;
    if ((uintptr_t)p + (uintptr_t)(guess & 0) >= next)
      guess = next;
  }
}

static long sum(struct node *p, int i) {
  long all = 0;
  for (; p; p = p->next)
    all += p->value + p->parts[i];
  return all;
}

int main(int argc, char **argv) {
  struct node *found = calloc(1, sizeof *found); // not-local
  struct node *first = calloc(1, sizeof *first); // local
  first->next = calloc(1, sizeof *first);        // local
  first->next->parts[argc & 3] = 2;
  char *bytes = calloc(argc, 3); // local
  find(found);
  on_thread(user, NULL);
  EXPECT(found->value == 1);
  EXPECT(sum(first, argc & 3) == 2 && bytes[argc] == 0);
  free(bytes);
  free(first->next);
  free(first);
  free(found);
  return 0;
}
