// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figure 1 of Sade, Sagiv, Shaham, "Optimizing C Multithreaded Memory Management Using Thread-Local Storage", CC 2005: the block
// in l is the thread's own, the one in x is handed to the thread, the one in g lies in a global. The figure's "some input" is an
// argument. Try: freehold-cc -O2 --freehold-report=fig1.txt -pthread fig1.c -o fig1 && cat fig1.txt
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *g;

void *foo(void *p) {
  char *l = malloc(16);
  strcpy(l, "foo: l is local");
  puts(l);
  free(l);
  free(p);
  g = malloc(16);
  strcpy(g, "foo: g global");
  puts(g);
  free(g);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argv;
  char *x = malloc(16);
  char *q = x;
  strcpy(x, "main: x");
  puts(x);
  if (argc > 1) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, foo, q) != 0)
      return 1;
    pthread_join(thread, NULL);
  } else {
    free(x);
  }
  return 0;
}
