// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a library function reads is checked too: the thread only hands the block to memcmp, strlen and write.
// RUN: %freehold-cc -O1 -fno-builtin-memcmp -fno-builtin-strlen -pthread -DCALL=0 %s -o %t.0 --freehold-check --freehold-test-force-local=wrong-library-call.c:26
// RUN: not --crash %t.0 2>&1 | FileCheck %s
// RUN: %freehold-cc -O1 -fno-builtin-memcmp -fno-builtin-strlen -pthread -DCALL=1 %s -o %t.1 --freehold-check --freehold-test-force-local=wrong-library-call.c:26
// RUN: not --crash %t.1 2>&1 | FileCheck %s
// RUN: %freehold-cc -O1 -pthread -DCALL=2 %s -o %t.2 --freehold-check --freehold-test-force-local=wrong-library-call.c:26
// RUN: not --crash %t.2 2>&1 | FileCheck %s
// CHECK: read of {{[0-9]+}} byte{{.*}}wrong-library-call.c:26{{.*}} by thread {{.*}}wrong-library-call.c:{{19|20|21}}
// CHECK-NOT: reached
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile long Result;
static void *reader(void *p) {
  switch (CALL) {
  case 0: Result = memcmp(p, "abcdefgh", 8); break;
  case 1: Result = (long)strlen(p); break;
  default: Result = write(2, p, 8); break;
  }
  return NULL;
}
int main(void) {
  char *p = malloc(40);
  pthread_t t;
  memset(p, 'a', 39);
  p[39] = 0;
  pthread_create(&t, 0, reader, p);
  pthread_join(t, 0);
  puts("reached");
}
