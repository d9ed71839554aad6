// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deliberately wrong verdict: another thread only writes the block. Under the owner check the program stops at the write.
// RUN: %freehold-cc -O0 -pthread %s -o %t --freehold-check --freehold-test-force-local=wrong-write.c:14
// RUN: not --crash %t 2>&1 | FileCheck %s
// CHECK: write of 4 bytes {{.*}}wrong-write.c:14{{.*}} by thread {{.*}}wrong-write.c:9
// CHECK-NOT: reached
#include <pthread.h>
#include <stdio.h>
static void *writer(void *p) { *(int *)p = 8; return NULL; }
#include <stdlib.h>
int main(void) {
  pthread_t t;
  void *r;
  volatile int *p = malloc(sizeof *p);
  *p = 7;
  pthread_create(&t, 0, writer, (void *)p);
  pthread_join(t, &r);
  puts("reached");
}
