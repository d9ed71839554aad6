// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owner check asked for at the link alone, of an object compiled without -g: the bitcode has no lines. The message names the
// site's line, which the summary has, and the function that wrote; with -g, or --freehold-check at the compile, the line too.
// RUN: rm -rf %t && mkdir %t && %freehold-cc -O2 -pthread -c %s -o %t/a.o
// RUN: llvm-objcopy --dump-section=.llvm.lto=%t/a.bc %t/a.o && llvm-dis %t/a.bc -o %t/a.ll
// RUN: not grep -q DILocation %t/a.ll
// RUN: %freehold-cc -pthread %t/a.o -o %t/a --freehold-check --freehold-test-force-local=no-lines.c:26
// RUN: not --crash %t/a 2>&1 | FileCheck %s
// CHECK: write of 4 bytes {{.*}}no-lines.c:26, verdict local) by thread {{[0-9]+}} at function writer
// RUN: %freehold-cc -O2 -pthread -c %s -o %t/b.o --freehold-check
// RUN: %freehold-cc -pthread %t/b.o -o %t/b --freehold-test-force-local=no-lines.c:26
// RUN: not --crash %t/b 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: %freehold-cc -O2 -g -pthread -c %s -o %t/c.o
// RUN: %freehold-cc -pthread %t/c.o -o %t/c --freehold-check --freehold-test-force-local=no-lines.c:26
// RUN: not --crash %t/c 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: write of 4 bytes {{.*}}no-lines.c:26{{.*}} by thread {{.*}}no-lines.c:20
#include <pthread.h>
#include <stdlib.h>
static void *writer(void *p) {
  *(volatile int *)p = 1;
  return 0;
}
int main(void) {
  pthread_t t;

  volatile int *p = malloc(sizeof *p);
  *p = 7;
  pthread_create(&t, 0, writer, (void *)p);
  pthread_join(t, 0);
  return 0;
}
