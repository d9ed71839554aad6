// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrappers around malloc of every odd kind, each with a caller whose block leaves its thread and one whose block does not.
#include "soundness.h"

static int *kept[12];

static void *user(void *arg) {
  for (int i = 0; i < 12; i++)
    if (kept[i])
      *kept[i] += 1;
  return arg;
}

/* Gives the same block to two callers. */
static void *cached(size_t n) {
  static void *last;
  if (!last)
    last = malloc(n); // not-local
  return last;
}
/* Keeps what it gives in a place that others read. */
static void *last_made;
static void *remembered(size_t n) { return last_made = malloc(n); } // not-local
/* Gives its argument, or a fresh block. */
static void *ensure(void *p, size_t n) { return p ? p : malloc(n); } // not-local
/* Calls itself. */
static void *again(size_t n, int turns) { return turns ? again(n, turns - 1) : malloc(n); } // not-local
/* Two that call each other, one of them through a pointer. */
static void *odd(size_t n, int turns);
static void *(*volatile odd_pointer)(size_t, int) = odd;
static void *even(size_t n, int turns) { return turns ? odd_pointer(n, turns - 1) : malloc(n); } // not-local
static void *odd(size_t n, int turns) { return even(n, turns); }
/* Stores it through an out parameter, and through the parameter of a parameter. */
static int out(void **to, size_t n) {
  *to = malloc(n); // not-local
  return 0;
}
static int out_deep(void ***to, size_t n) { return out(*to, n); }
/* Called through one pointer from two places. */
static void *plain(size_t n) { return malloc(n); } // not-local
static void *(*volatile hook)(size_t) = plain;
/* Starts a thread that keeps it. */
static void *keeper(void *arg) { return kept[7] = arg; }
static void *spawning(size_t n, int spawn) {
  void *p = malloc(n); // not-local
  if (spawn)
    on_thread(keeper, p);
  return p;
}
/* A thread's entry. */
static void *entry(void *arg) { return calloc(1, *(size_t *)arg); } // not-local
/* Hands a block to a function of its caller. */
static void with(void (*f)(void *, void *), void *context, size_t n) { f(malloc(n), context); } // not-local
static void keep_it(void *p, void *context) { *(void **)context = p; }
/* Swaps a block into the caller's slot and gives back what was there. */
static void *swap(void **slot, size_t n) {
  void *before = *slot;
  *slot = malloc(n); // not-local
  return before;
}

static int *zero(void *p) { return memset(p, 0, sizeof(int)); }

int main(void) {
  size_t n = sizeof(int);
  int *own[12] = {0};
  void *p = NULL, **place = &p;
  own[0] = zero(cached(n)), kept[0] = cached(n);
  own[1] = zero(remembered(n)), kept[1] = last_made;
  kept[2] = zero(ensure(NULL, n)), own[2] = zero(ensure(NULL, n));
  own[3] = zero(again(n, 2)), kept[3] = zero(again(n, 3));
  own[4] = zero(even(n, 2)), kept[4] = zero(odd(n, 3));
  out(&p, n), own[5] = zero(p);
  out_deep(&place, n), kept[5] = zero(p);
  own[6] = zero(hook(n)), kept[6] = zero(hook(n));
  own[7] = zero(spawning(n, 0)), zero(spawning(n, 1));
  own[8] = zero(entry(&n)), kept[8] = on_thread(entry, &n);
  void *mine = NULL, *theirs = NULL;
  with(keep_it, &mine, n), with(keep_it, &theirs, n);
  own[9] = zero(mine), kept[9] = zero(theirs);
  void *slot = NULL;
  swap(&slot, n), zero(slot), kept[10] = swap(&slot, n), own[10] = zero(slot);
  on_thread(user, NULL);
  for (int i = 0; i < 11; i++)
    EXPECT(kept[i] && own[i] && *kept[i] >= 1);
  return 0;
}
