// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-32: assembly at file scope gives a hidden variable a second name.
#include "soundness.h"

__attribute__((used)) static int *hidden;
extern int *second_name;
__asm__(".globl second_name\n.set second_name, hidden\n");

static void *user(void *arg) {
  *second_name += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  hidden = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
