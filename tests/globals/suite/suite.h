// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// suite.h - the suite of a thread-safe resource manager: written against TSRM's interface alone, so that it runs on Freehold's
// and on PHP's own. TSRM_HEADER is the one that is tested.
#ifndef TESTS_GLOBALS_SUITE_H
#define TESTS_GLOBALS_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include TSRM_HEADER

#include "../threads.h"

#include <stdatomic.h>

// What every resource begins with: a destructor that meets anything else than what a constructor made fails the test.
struct piece {
  long state;
  long value;
};
#define MADE 0x6d616465
#define DESTROYED 0x676f6e65

// Two resources: a in the reserve, b with memory of its own. Each constructor and destructor leaves its letter, the latter in
// lower case, in the log of the thread that it runs on.
extern ts_rsrc_id AId, BId;
extern size_t AOffset;
extern atomic_int Made, Destroyed;
extern _Thread_local char Log[128];
void note(char what);
void make_piece(void *globals); // not in the log
void destroy_piece(void *globals);

// The manager is started, the main thread has both.
void start(void);
// Shuts it down; all that was made is destroyed.
void stop(void);
// The calling thread's, with what it is to be.
void check_piece(ts_rsrc_id id, long value);
static inline struct piece *piece(ts_rsrc_id id) { return ts_resource(id); }
// Its arguments: MODULE SECOND THREADS REQUESTS.
extern char **Arguments;

#define TEST(name, what) void test_##name(void);
#include "suite.def"
#undef TEST

#endif
