// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

int main(void) {
  char *volatile p = malloc(40);
  free(p);
  free(p);
  return 0;
}
