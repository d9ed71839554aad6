// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without main the inputs are a library: whoever calls its functions is not seen, so what they hand out is shared; a hidden
// function's block is not. The first input names the program.
// RUN: %freehold analyze --base=%S %s | FileCheck %s
// CHECK: analyze-library: 2 allocation sites in 2 functions: 1 local, 1 shared, 0 unknown
// CHECK: :[[#@LINE+6]]:10: shared: {{.*}} [FH303] malloc(16) in make
// CHECK: :[[#@LINE+9]]:13: local [unreachable] malloc(8) in count
// CHECK-NOT: FH901
#include <stdlib.h>
#include <string.h>
  void *make(void) { return
         malloc(16); }
size_t count(const char *s) {
  (void)s;
  char *p;
  p =       malloc(8);
  memset(p, 'a', 7);
  p[7] = 0;
  size_t n = strlen(p);
  free(p);
  return n;
}
