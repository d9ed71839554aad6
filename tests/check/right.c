// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose verdicts are right runs to its end under the owner check.
// RUN: %freehold-cc -O2 -pthread %s -o %t --freehold-check --freehold-report=%t.json
// RUN: %t | FileCheck %s
// RUN: FileCheck --check-prefix=REPORT %s < %t.json
// CHECK: sum 3996000
// REPORT: "rewritten": 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *work(void *arg) {
  long sum = 0;
  for (int i = 0; i < 1000; ++i) {
    long *volatile q = malloc(16 * sizeof *q), *p = q;
    memset(p, 0, 16 * sizeof *p);
    for (int k = 0; k < 2; ++k)
      p[k] = i;
    sum += p[0] + p[1];
    free(p);
  }
  return (void *)sum;
}
int main(void) {
  pthread_t t[4];
  long sum = 0;
  for (int i = 0; i < 4; ++i)
    pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; ++i) {
    void *r;
    pthread_join(t[i], &r);
    sum += (long)r;
  }
  printf("sum %ld\n", sum);
}
