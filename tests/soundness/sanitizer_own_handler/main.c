// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-26: the program has handlers of UBSan's names, and calls them itself.
//
// flags: -fsanitize=null,alignment,pointer-overflow
// steps: CC -c main.c; CLANG -c plain.c -fno-sanitize=all; LINK main.o plain.o
#include "../soundness.h"

void __ubsan_handle_type_mismatch_v1(void *data, uintptr_t address);
void __ubsan_handle_pointer_overflow(void *data, uintptr_t base, uintptr_t result);
void use_kept(void);

int main(int argc, char **argv) {
  int *a = calloc(1, sizeof *a); // not-local
  int *b = calloc(1, sizeof *b); // not-local
  int *c = calloc(2, sizeof *c); // local
  __ubsan_handle_type_mismatch_v1(NULL, (uintptr_t)a);
  if (b)
    __ubsan_handle_pointer_overflow(NULL, 0, (uintptr_t)b);
  use_kept();
  EXPECT(*a == 1 && *b == 1 && c[argc] == 0);
  free(a);
  free(b);
  free(c);
  return 0;
}
