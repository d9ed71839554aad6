/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * drive.c - counts or times the functions of a row.
 *
 *   drive [LIBRARY] count          instructions of the function with one and with four reads, less those of the one with none
 *   drive [LIBRARY] time           CPU nanoseconds of a call of the three: the least of some tries; then a line with
 *                                  cycles in user mode, where the processor counts them
 *   drive [LIBRARY] calls WHICH N  N calls of none, one or four, for an instrument that counts from outside
 *
 * LIBRARY, only when compiled with ACCESS_DLOPEN, is loaded first. Exit: 0, 1 the loader refused (its words on stderr), 2 usage,
 * 3 there is nothing to measure: the library lacks the functions, or the row's globals could not be made.
 */
#include "../micro/step.h"
#include "types.h"

#include <dlfcn.h>
#if __has_include(<linux/perf_event.h>) /* musl comes without it */
#include <linux/perf_event.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000, TRIES = 5 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void repeat(void (*function)(void *), void *context, long calls) {
  void (*volatile hidden)(void *) = function; /* not known at compile time */
  void (*f)(void *) = hidden;
  for (long i = 0; i < calls; i++)
    f(context);
}

static unsigned long step(void (*function)(void *), void *context) {
  void (*volatile hidden)(void *) = function;
  void (*f)(void *) = hidden;
  f(context); /* what is done once only is done */
  f(context);
  step_count = 0;
  step_begin();
  f(context);
  step_end();
  return step_count;
}

static double least(double (*clock)(void), void (*function)(void *), void *context) {
  double best = 1e18;
  for (int i = 0; i < TRIES; i++) {
    double begun = clock();
    repeat(function, context, CALLS);
    double took = (clock() - begun) / CALLS;
    best = took < best ? took : best;
  }
  return best;
}

static int counter;

static int count_cycles(void) {
#ifdef PERF_ATTR_SIZE_VER0
  struct perf_event_attr cycles = {.size = sizeof cycles, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
  cycles.exclude_kernel = cycles.exclude_hv = 1;
  counter = (int)syscall(SYS_perf_event_open, &cycles, 0, -1, -1, 0);
  return counter >= 0;
#else
  return 0;
#endif
}

static double cycles(void) {
  unsigned long long count = 0;
  return read(counter, &count, sizeof count) == sizeof count ? (double)count : 0;
}

static const struct access *functions(char **library) {
#ifdef ACCESS_DLOPEN
  void *handle = dlopen(*library, RTLD_NOW);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return (const struct access *)dlsym(handle, "access_functions");
#else
  (void)library;
  return &access_functions;
#endif
}

int main(int argc, char **argv) {
#ifdef ACCESS_DLOPEN
  enum { VERB = 2 };
#else
  enum { VERB = 1 };
#endif
  if (argc <= VERB)
    return 2;
  const struct access *row = functions(argv + 1);
  void *context = row ? row->begin() : NULL;
  const char *verb = argv[VERB];
  if (!context) {
    fprintf(stderr, "%s\n", row ? "the row's globals could not be made" : dlerror());
    return 3;
  }
  if (strcmp(verb, "count") == 0) {
    step_prepare();
    step_armed = 1;
    unsigned long none = step(row->none, context);
    unsigned long one = step(row->one, context), four = step(row->four, context);
    printf("%lu %lu\n", one - none, four - none);
  } else if (strcmp(verb, "time") == 0) {
    for (double (*clock)(void) = now; clock; clock = clock == now && count_cycles() ? cycles : NULL) {
      double none = least(clock, row->none, context), one = least(clock, row->one, context);
      printf("%.4f %.4f %.4f\n", none, one, least(clock, row->four, context));
    }
  } else if (strcmp(verb, "calls") == 0 && argc == VERB + 3) {
    const char *which = argv[VERB + 1];
    repeat(*which == 'n' ? row->none : *which == 'o' ? row->one : row->four, context, atol(argv[VERB + 2]));
  } else {
    return 2;
  }
  return 0;
}
