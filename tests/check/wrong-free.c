// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deliberately wrong verdict: another thread only frees the block. The free stops, under the owner check and without it.
// RUN: %freehold-cc -O2 -pthread %s -o %t --freehold-check --freehold-test-force-local=wrong-free.c:15
// RUN: not --crash %t 2>&1 | FileCheck %s
// RUN: %freehold-cc -O2 -pthread %s -o %t.plain --freehold-test-force-local=wrong-free.c:15
// RUN: not --crash %t.plain 2>&1 | FileCheck --check-prefix=PLAIN %s
// CHECK: free{{.*}}wrong-free.c:15
// PLAIN: {{freehold: .*free}}
// CHECK-NOT: reached
#include <pthread.h>
#include <stdlib.h>
static void *freer(void *p) { free(p); return NULL; }
#include <stdio.h>
int main(void) {
  void *p = malloc(40);
  pthread_t t;
  pthread_create(&t, 0, freer, p);
  pthread_join(t, 0);
  puts("reached");
}
