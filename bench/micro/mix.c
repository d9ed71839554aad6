// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mix - steps through one warm call of each fast path and prints the address of every instruction it executed: a line with the
// name, then lines of file and offset. bench/fastpaths looks up what they are. Run with libfreehold as the process's malloc.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "step.h"

#include "freehold/heap.h"

#define OPERATION __attribute__((noinline, used)) static void

static void *block;
size_t mix_size = 16; // extern: the compiler must not know that it never changes
// Through pointers, so that the header's inline functions do not take the place of the exported ones.
static void *(*volatile tls_malloc_called)(size_t);
static void (*volatile tls_free_called)(void *);

OPERATION op_malloc(void) { block = malloc(mix_size); }
OPERATION op_free(void) { free(block); }
OPERATION op_fh_tls_malloc(void) { block = tls_malloc_called(mix_size); }
OPERATION op_fh_tls_free(void) { tls_free_called(block); }
OPERATION op_inlined_pop_constant(void) { block = fh_tls_malloc(16); }
OPERATION op_inlined_push_constant(void) { fh_tls_free_sized(block, 16); }
OPERATION op_inlined_pop(void) { block = fh_tls_malloc(mix_size); }
OPERATION op_inlined_push(void) { fh_tls_free_sized(block, mix_size); }

static const struct {
  const char *name;
  void (*take)(void), (*give)(void);
  const char *take_name, *give_name;
} pairs[] = {
    {"malloc", op_malloc, op_free, "malloc", "free"},
    {"local", op_fh_tls_malloc, op_fh_tls_free, "fh_tls_malloc", "fh_tls_free"},
    {"constant", op_inlined_pop_constant, op_inlined_push_constant, "inlined_pop_constant", "inlined_push_constant"},
    {"run-time", op_inlined_pop, op_inlined_push, "inlined_pop", "inlined_push"},
};

static void show(const char *name, void (*operation)(void)) {
  static uintptr_t addresses[4096];
  step_addresses = addresses;
  step_room = sizeof addresses / sizeof *addresses;
  step_count = 0;
  step_armed = 1;
  step_begin();
  operation();
  step_end();
  step_armed = 0;
  printf("= %s\n", name);
  for (unsigned long i = 0; i < step_count && i < step_room; i++) {
    Dl_info where;
    struct link_map *map;
    if (dladdr1((void *)addresses[i], &where, (void **)&map, RTLD_DL_LINKMAP))
      printf("%s %lx\n", map->l_name[0] ? map->l_name : "program", (unsigned long)(addresses[i] - map->l_addr));
  }
}

int main(void) {
  tls_malloc_called = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "fh_tls_malloc");
  tls_free_called = (void (*)(void *))dlsym(RTLD_DEFAULT, "fh_tls_free");
  if (!tls_malloc_called || !tls_free_called) {
    fprintf(stderr, "mix: fh_tls_malloc is not exported\n");
    return 1;
  }
  setvbuf(stdout, NULL, _IONBF, 0);
  step_prepare();
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    for (int warm = 0; warm < 8; warm++) {
      pairs[i].take();
      pairs[i].give();
    }
    show(pairs[i].take_name, pairs[i].take);
    show(pairs[i].give_name, pairs[i].give);
  }
  return 0;
}
