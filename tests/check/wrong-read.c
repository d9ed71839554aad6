// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deliberately wrong verdict: another thread only reads the block. Under the owner check the program stops at the read.
// RUN: %freehold-cc -O2 -pthread %s -o %t --freehold-check --freehold-test-force-local=wrong-read.c:14
// RUN: not --crash %t 2>&1 | FileCheck %s
// CHECK: read of 4 bytes {{.*}}wrong-read.c:14{{.*}} by thread {{.*}}wrong-read.c:9
// CHECK-NOT: reached
#include <pthread.h>
#include <stdio.h>
static void *reader(void *p) { return (void *)(long)*(volatile int *)p; }
#include <stdlib.h>
int main(void) {
  pthread_t t;
  void *r;
  volatile int *p = malloc(sizeof *p);
  *p = 7;
  pthread_create(&t, 0, reader, (void *)p);
  pthread_join(t, &r);
  puts("reached");
}
