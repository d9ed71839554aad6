// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
extern inline char *volatile *sink() { static char *volatile Sink; return &Sink; }
inline void work(long n) {
  char *p = (char *)malloc(n); *sink() = p; free(p);
}
