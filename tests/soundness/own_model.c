// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-26: the program defines functions that have models, and they publish.
#include "soundness.h"
#include <unistd.h>
#include <wchar.h>

static void *kept[2];

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set) { return kept[0] = (void *)(uintptr_t)s; }
void swab(const void *from, void *to, ssize_t n) { kept[1] = (void *)(uintptr_t)from; }

static void *user(void *arg) {
  *(int *)kept[0] += 1;
  *(int *)kept[1] += 1;
  return NULL;
}

int main(void) {
  int *a = calloc(1, sizeof *a); // shared: FH101
  int *b = calloc(1, sizeof *b); // shared: FH101
  EXPECT(wcspbrk((wchar_t *)a, L"x") != NULL);
  swab(b, a, 2);
  on_thread(user, NULL);
  EXPECT(*a == 1 && *b == 1);
  free(a);
  free(b);
  return 0;
}
