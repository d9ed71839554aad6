// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// suite.c MODULE SECOND THREADS REQUESTS TEST - runs one test; with --list alone, names all with what they expect. Exit: 0 it
// passed, 1 not, with a line; a crash and an endless wait are for the caller to see.
#include "suite.h"

TSRMLS_MAIN_CACHE_DEFINE()

ts_rsrc_id AId, BId;
size_t AOffset;
atomic_int Made, Destroyed;
_Thread_local char Log[128];
char **Arguments;

void note(char what) {
  size_t length = strlen(Log);
  if (length + 1 < sizeof Log)
    Log[length] = what;
}

void make_piece(void *globals) {
  struct piece *made = globals;
  made->state = MADE;
  made->value = 0;
  atomic_fetch_add(&Made, 1);
}
void destroy_piece(void *globals) {
  struct piece *gone = globals;
  CHECK(gone && gone->state == MADE);
  gone->state = DESTROYED;
  atomic_fetch_add(&Destroyed, 1);
}
static void make_a(void *globals) { note('A'), make_piece(globals); }
static void destroy_a(void *globals) { note('a'), destroy_piece(globals); }
static void make_b(void *globals) { note('B'), make_piece(globals); }
static void destroy_b(void *globals) { note('b'), destroy_piece(globals); }

void start(void) {
  Made = Destroyed = 0;
  memset(Log, 0, sizeof Log);
  CHECK(tsrm_startup(1, 1, 0, NULL));
  tsrm_reserve(1024);
  CHECK(ts_resource(0));
  CHECK(ts_allocate_fast_id(&AId, &AOffset, sizeof(struct piece), make_a, destroy_a) == 1);
  CHECK(ts_allocate_id(&BId, sizeof(struct piece), make_b, destroy_b) == 2);
  CHECK(AId == 1 && BId == 2 && Made == 2 && strcmp(Log, "AB") == 0);
}

void stop(void) {
  tsrm_shutdown();
  CHECK(Made == Destroyed);
}

void check_piece(ts_rsrc_id id, long value) {
  struct piece *found = piece(id);
  CHECK(found && found->state == MADE && found->value == value);
}

static const struct {
  const char *name, *what;
  void (*run)(void);
} Tests[] = {
#define TEST(name, what) {#name, what, test_##name},
#include "suite.def"
#undef TEST
};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof Tests / sizeof *Tests; ++i) {
    if (argc == 2)
      printf("%s\t%s\n", Tests[i].name, Tests[i].what);
    if (argc == 6 && strcmp(argv[5], Tests[i].name) == 0) {
      Arguments = argv + 1;
      Tests[i].run();
      return 0;
    }
  }
  return argc == 2 ? 0 : 2;
}
