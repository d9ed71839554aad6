// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats.c - the printers of statistics: the JSON to the letter, what the text says, cut buffers, FREEHOLD_STATS at shutdown.
#include "engine.h"

#include "threads.h"

#include <errno.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static const char *const Modes[] = {"", "static", "gs", "cached", "pointer", "passed", "classic"};
static char Text[8192], Wanted[8192];

static pthread_barrier_t Barrier;
static void *lives(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  return unused;
}

static void check_json(const char *json) {
  snprintf(
      Wanted, sizeof Wanted,
      "{\"schema\":\"freehold-globals-stats/1\",\"pid\":%d,\"program\":\"%s\",\"engine\":\"test\",\"mode\":\"%s\",\"threads\":2,"
      "\"peak_threads\":2,\"started\":2,\"ended\":0,\"block_bytes\":%d,\"reserve_bytes\":%d,\"reserve_used\":64,"
      "\"separate_bytes\":100000,\"total_bytes\":%d,\"resources\":["
      "{\"id\":1,\"name\":\"executor\",\"bytes\":%d,\"offset\":%d,\"threads\":2},"
      "{\"id\":2,\"name\":\"a \\u0022quoted\\u0022 one\",\"bytes\":100000,\"offset\":0,\"threads\":2},"
      "{\"id\":4,\"name\":null,\"bytes\":%d,\"offset\":%d,\"threads\":2}]}\n",
      (int)getpid(), program_invocation_short_name, Modes[FH_GLOBALS_MODE], FH_LAYOUT_test_SIZE,
      FH_LAYOUT_test_SIZE - FH_LAYOUT_test_RESERVE, 2 * (FH_LAYOUT_test_SIZE + 100000), (int)sizeof(struct executor_globals),
      FH_LAYOUT_test_executor, 64, FH_LAYOUT_test_RESERVE);
  if (strcmp(json, Wanted) != 0)
    fprintf(stderr, "got  %swant %s", json, Wanted);
  CHECK(strcmp(json, Wanted) == 0);
}

static void check_formats(void) {
  size_t length = fh_globals_stats_format(ENGINE, Text, sizeof Text, FH_STATS_JSON);
  CHECK(length == strlen(Text));
  check_json(Text);
  char small[20], none = 'x';
  CHECK(fh_globals_stats_format(ENGINE, small, sizeof small, FH_STATS_JSON) == length &&
        strcmp(small, "{\"schema\":\"freehold") == 0);
  CHECK(fh_globals_stats_format(ENGINE, &none, 0, FH_STATS_JSON) == length && none == 'x');
  CHECK(fh_globals_stats_format(NULL, small, sizeof small, FH_STATS_TEXT) == 0 && fh_globals_error() == FH_GLOBALS_EINVAL);
  length = fh_globals_stats_format(ENGINE, Text, sizeof Text, FH_STATS_TEXT);
  CHECK(length == strlen(Text) && strncmp(Text, "freehold: globals of test, mode ", 32) == 0);
  CHECK(strstr(Text, "  1 executor ") && strstr(Text, "  2 a \"quoted\" one ") &&
        strstr(Text, "97.6 KiB        apart            2    195.3 KiB\n"));
  CHECK(fh_globals_stats_print(ENGINE, -1, FH_STATS_TEXT) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_stats_print(NULL, 2, FH_STATS_TEXT) == FH_GLOBALS_EINVAL);
}

// What shutdown says on standard error.
static void shut_down(const char *wanted) {
  int ends[2], saved = dup(2);
  CHECK(pipe(ends) == 0 && setenv("FREEHOLD_STATS", wanted, 1) == 0 && dup2(ends[1], 2) == 2);
  int error = fh_globals_shutdown(ENGINE);
  CHECK(dup2(saved, 2) == 2);
  close(ends[1]), close(saved);
  ssize_t length = read(ends[0], Text, sizeof Text - 1);
  CHECK(error == 0 && length >= 0);
  Text[length] = '\0';
  close(ends[0]);
}

static void life(const char *wanted) {
  CHECK(fh_globals_startup(ENGINE) == 0 && fh_globals_thread_init(ENGINE));
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL) == 1);
  CHECK(fh_globals_register_one(ENGINE, "a \"quoted\" one", 100000, NULL, NULL, NULL, NULL, NULL, 0, NULL) == 2);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) == 3);
  CHECK(fh_globals_unregister(ENGINE, 3) == 0);
  CHECK(fh_globals_register_one(ENGINE, NULL, 64, NULL, NULL, NULL, NULL, NULL, 0, NULL) == 4);
  pthread_t thread;
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(&thread, NULL, lives, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  if (!*wanted)
    check_formats();
  shut_down(wanted);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "";
  life(wanted);
  if (strcmp(wanted, "json") == 0)
    check_json(Text);
  else if (strcmp(wanted, "1") == 0)
    CHECK(strncmp(Text, "freehold: globals of test, mode ", 32) == 0);
  else
    CHECK(Text[0] == '\0');
  return 0;
}
