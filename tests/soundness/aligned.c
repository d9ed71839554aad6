// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-14: posix_memalign and aligned_alloc, shared and not.
#include "soundness.h"

static void *user(void *arg) {
  *(long *)arg += 1;
  return NULL;
}

int main(void) {
  void *a = NULL, *b = NULL;
  EXPECT(posix_memalign(&a, 128, 256) == 0); // shared: FH102
  EXPECT(posix_memalign(&b, 128, 256) == 0); // local
  long *c = aligned_alloc(64, 128);          // shared: FH102
  long *d = aligned_alloc(64, 128);          // local
  EXPECT(((uintptr_t)a & 127) == 0 && ((uintptr_t)b & 127) == 0 && ((uintptr_t)c & 63) == 0 && ((uintptr_t)d & 63) == 0);
  *(long *)a = *(long *)b = *c = *d = 1;
  on_thread(user, a);
  on_thread(user, c);
  EXPECT(*(long *)a == 2 && *(long *)b == 1 && *c == 2 && *d == 1);
  free(a);
  free(b);
  free(c);
  free(d);
  return 0;
}
