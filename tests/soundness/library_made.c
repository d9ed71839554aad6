// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-5: blocks that libc makes and we free, in the same variable as our own.
#include "soundness.h"
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (volatile int i = 0; i < 5; i++) {
    char *p = NULL;
    if (i == 0)
      p = malloc(10); // local
    else if (i == 1)
      EXPECT(asprintf(&p, "%d", i) == 1);
    else if (i == 2)
      p = realpath("/", NULL);
    else if (i == 3)
      p = getcwd(NULL, 0);
    else
      p = strdup("mine"); // local
    EXPECT(p);
    p[0] = 'x';
    free(p);
  }
  return 0;
}
