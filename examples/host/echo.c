// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// echo.c - the smallest engine with globals of its own for each thread (freehold/globals.h): a request's query passes through a
// global, and the answer says whether another request's was seen there. For trying the server without PHP.
#include <freehold/globals.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "echo.h"
#include "echo_layout.h"
#include "engine.h"

FH_GLOBALS_DECLARE(echo);
FH_RESOURCE_DECLARE(echo, page);
FH_GLOBALS_DEFINE(echo);
FH_RESOURCE_DEFINE(echo, page);
#define EG(v) FH_G(echo, page, struct echo_globals, v)

static atomic_ulong logged;

// A thread's globals are destroyed once, and no request of its is under way then.
static void destroy(void *globals, void *argument) {
  struct echo_globals *page = globals;
  (void)argument;
  if (page->served < 0 || *page->query)
    logged++;
  page->served = -1;
}

static const char *start(const char *program) {
  (void)program;
  int error = fh_globals_startup(&fh_globals_echo);
  if (!error && !FH_RESOURCE_REGISTER(echo, page, sizeof(struct echo_globals), NULL, destroy))
    error = fh_globals_error();
  if (!error && !fh_globals_thread_init(&fh_globals_echo))
    error = fh_globals_error();
  return error ? fh_globals_error_text(error) : NULL;
}

static void stop(void) { fh_globals_shutdown(&fh_globals_echo); }

static bool thread_begin(void) { return fh_globals_thread_init(&fh_globals_echo) != NULL; }

static void thread_end(void) { fh_globals_thread_exit(&fh_globals_echo); }

static void answer(struct request *request) {
  bool clean = !*EG(query);
  snprintf(EG(query), sizeof EG(query), "%s", request->query);
  nanosleep(&(struct timespec){0, 100000}, NULL); // others come in between
  clean = clean && strncmp(EG(query), request->query, sizeof EG(query) - 1) == 0;
  char text[128];
  int size = snprintf(text, sizeof text, "%s %s, %zu bytes\n", EG(query), clean ? "clean" : "DIRTY", request->body_size);
  EG(served)++;
  *EG(query) = 0;
  buffer_add(&request->answer, text, (size_t)size);
}

static void count(struct engine_count *count) {
  fh_globals_stats_t stats;
  if (fh_globals_stats(&fh_globals_echo, &stats, sizeof stats) == 0)
    *count = (struct engine_count){(int64_t)stats.threads, (int64_t)stats.started, (int64_t)stats.ended, (int64_t)stats.resources,
                                   (int64_t)(stats.block_bytes + stats.separate_bytes)};
}

static uint64_t count_logged(void) { return logged; }

__attribute__((visibility("default")))
const struct engine host_engine = {"echo", true, start, stop, thread_begin, thread_end, answer, count, count_logged};
