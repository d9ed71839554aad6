// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-32: a function written in assembly at file scope stores its argument in a variable.
#include "soundness.h"

int *kept_by_assembly;
void keep_by_assembly(int *p);
__asm__(".text\n.globl keep_by_assembly\n.type keep_by_assembly,@function\nkeep_by_assembly:\n"
        "  mov kept_by_assembly@GOTPCREL(%rip), %rax\n  mov %rdi, (%rax)\n  ret\n.size keep_by_assembly,.-keep_by_assembly\n");

static void *user(void *arg) {
  *kept_by_assembly += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-rewritten
  keep_by_assembly(block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
