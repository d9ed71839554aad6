/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * run.c - runs rows, in the first thread and then in others, and compares what they print.
 *
 * The first thread runs every row once; what it prints is shown, or compared with a file. All further runs, its own and the other
 * threads', have to print the same.
 */
#include "run.h"

#include "module.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 256 };

typedef struct text {
  char *bytes;
  size_t length;
} text;

typedef struct job {
  const run_options *options;
  text source;
  const char **rows; /* a NULL row is the whole script */
  size_t row_count;
  text *printed;   /* by the first thread, a text a row */
  atomic_uint bad; /* runs that failed or printed something else */
} job;

/* Where the threads' EG(interrupt) are: what the watchdog sets. */
static bool *interrupts[MOST_THREADS + 1];
static pthread_mutex_t interrupts_lock = PTHREAD_MUTEX_INITIALIZER;

static void set_interrupts(void) {
  pthread_mutex_lock(&interrupts_lock);
  for (size_t i = 0; i <= MOST_THREADS; i++)
    if (interrupts[i])
      __atomic_store_n(interrupts[i], true, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&interrupts_lock);
}

static void announce(size_t number, bool *interrupt) {
  pthread_mutex_lock(&interrupts_lock);
  interrupts[number] = interrupt;
  pthread_mutex_unlock(&interrupts_lock);
}

/* Sets them all when its time is up; a thread of its own, since a signal might find a lock held. */
typedef struct watchdog {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t woken;
  struct timespec until;
  bool done;
} watchdog;

static void *watch(void *argument) {
  watchdog *w = argument;
  int waited = 0;
  pthread_mutex_lock(&w->lock);
  while (!w->done && waited != ETIMEDOUT)
    waited = pthread_cond_timedwait(&w->woken, &w->lock, &w->until);
  bool fire = !w->done;
  pthread_mutex_unlock(&w->lock);
  if (fire)
    set_interrupts();
  return NULL;
}

static bool watchdog_start(watchdog *w, unsigned ms) {
  *w = (watchdog){.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};
  clock_gettime(CLOCK_REALTIME, &w->until);
  w->until.tv_sec += ms / 1000;
  w->until.tv_nsec += ms % 1000 * 1000000L;
  if (w->until.tv_nsec >= 1000000000L) {
    w->until.tv_sec++;
    w->until.tv_nsec -= 1000000000L;
  }
  return pthread_create(&w->thread, NULL, watch, w) == 0;
}

static void watchdog_stop(watchdog *w) {
  pthread_mutex_lock(&w->lock);
  w->done = true;
  pthread_cond_signal(&w->woken);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
}

static bool thread_begin(size_t number) {
  if (!engine_thread_begin())
    return false;
  ENGINE_FETCH;
  announce(number, EG_ADDRESS(interrupt));
  return true;
}

static void thread_end(size_t number) {
  announce(number, NULL);
  engine_thread_end();
}

static bool read_file(const char *name, text *to) {
  FILE *f = fopen(name, "rb");
  if (f && !fseek(f, 0, SEEK_END)) {
    long size = ftell(f);
    rewind(f);
    to->bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (to->bytes && fread(to->bytes, 1, (size_t)size, f) == (size_t)size) {
      to->length = (size_t)size;
      to->bytes[size] = 0;
      fclose(f);
      return true;
    }
  }
  fprintf(stderr, "engine: %s cannot be read: %s\n", name, strerror(errno));
  if (f)
    fclose(f);
  return false;
}

static bool run_row(const job *j, size_t row ENGINE_DC) {
  return request_run(j->options->script, j->source.bytes, j->source.length, j->rows[row] ENGINE_CC);
}

/* One more run of each row. */
static void run_again(job *j ENGINE_DC) {
  for (size_t i = 0; i < j->row_count; i++) {
    bool well = run_row(j, i ENGINE_CC);
    if (!well || OG(used) != j->printed[i].length || memcmp(OG(text), j->printed[i].bytes, OG(used)) != 0) {
      fprintf(stderr, "engine: %s: a later run %s\n", j->rows[i] ? j->rows[i] : j->options->script,
              well ? "printed something else" : "failed");
      atomic_fetch_add(&j->bad, 1);
    }
  }
}

typedef struct worker {
  job *job;
  size_t number;
  pthread_t thread;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  if (!thread_begin(w->number)) {
    fputs("engine: a thread's globals could not be set up\n", stderr);
    atomic_fetch_add(&w->job->bad, 1);
    return NULL;
  }
  ENGINE_FETCH;
  for (unsigned i = 0; i < w->job->options->repeat; i++)
    run_again(w->job ENGINE_CC);
  thread_end(w->number);
  return NULL;
}

static void run_threads(job *j) {
  unsigned count = j->options->threads < MOST_THREADS ? j->options->threads : MOST_THREADS, started = 0;
  worker *workers = calloc(count, sizeof *workers);
  while (workers && started < count) {
    workers[started] = (worker){.job = j, .number = started + 1};
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started]))
      break;
    started++;
  }
  if (started < count) {
    fprintf(stderr, "engine: only %u of %u threads could be started\n", started, count);
    atomic_fetch_add(&j->bad, 1);
  }
  if (j->options->late_module && !module_load(j->options->late_module))
    atomic_fetch_add(&j->bad, 1);
  for (unsigned i = 0; i < started; i++)
    pthread_join(workers[i].thread, NULL);
  free(workers);
}

/* A row's part of a file of expectations: what follows the line `== ROW`. */
static text expected_part(const text *file, const char *row) {
  char head[256];
  if (!row)
    return *file;
  int n = snprintf(head, sizeof head, "== %s\n", row);
  const char *at = file->bytes;
  while (at && strncmp(at, head, (size_t)n)) {
    at = strstr(at, "\n== ");
    at = at ? at + 1 : NULL;
  }
  if (!at)
    return (text){NULL, 0};
  at += n;
  const char *end = strncmp(at, "== ", 3) ? strstr(at, "\n== ") : at;
  return (text){(char *)at, end ? (size_t)(end - at) + (*end == '\n') : (size_t)(file->bytes + file->length - at)};
}

static void show(job *j, size_t i, const text *expected) {
  const char *row = j->rows[i], *name = row ? row : j->options->script;
  if (!expected) {
    if (row)
      printf("== %s\n", row);
    fwrite(j->printed[i].bytes, 1, j->printed[i].length, stdout);
    return;
  }
  text part = expected_part(expected, row);
  bool same = part.bytes && part.length == j->printed[i].length && !memcmp(part.bytes, j->printed[i].bytes, part.length);
  printf("%s: %s\n", name, same ? "as expected" : part.bytes ? "differs" : "nothing is expected of it");
  if (!same)
    atomic_fetch_add(&j->bad, 1);
}

static void run_first(job *j, const text *expected ENGINE_DC) {
  for (size_t i = 0; i < j->row_count; i++) {
    if (!run_row(j, i ENGINE_CC))
      atomic_fetch_add(&j->bad, 1);
    j->printed[i] = (text){malloc(OG(used) + 1), OG(used)};
    if (!j->printed[i].bytes) {
      fputs("engine: out of memory\n", stderr);
      exit(1);
    }
    memcpy(j->printed[i].bytes, OG(used) ? OG(text) : "", OG(used));
    show(j, i, expected);
  }
  fflush(stdout);
  if (j->options->threads == 1)
    for (unsigned i = 1; i < j->options->repeat; i++)
      run_again(j ENGINE_CC);
}

/* The rows to run: all of the script's, or those asked for, which must be there. */
static int choose_rows(job *j, row_list *found ENGINE_DC) {
  const run_options *o = j->options;
  if (!request_list_rows(o->script, j->source.bytes, j->source.length, found ENGINE_CC))
    return 1;
  for (size_t i = 0; i < o->row_count; i++) {
    size_t k = 0;
    while (k < found->count && strcmp(found->names[k], o->rows[i]))
      k++;
    if (k == found->count) {
      fprintf(stderr, "engine: %s has no row %s; see engine --list %s\n", o->script, o->rows[i], o->script);
      return 2;
    }
  }
  static const char *whole[] = {NULL};
  j->rows = o->row_count ? o->rows : found->count ? (const char **)found->names : whole;
  j->row_count = o->row_count ? o->row_count : found->count ? found->count : 1;
  return 0;
}

static int run_job(job *j, const text *expected, row_list *found ENGINE_DC) {
  int status = choose_rows(j, found ENGINE_CC);
  if (status)
    return status;
  if (j->options->list) {
    for (size_t i = 0; i < found->count; i++)
      puts(found->names[i]);
    return 0;
  }
  j->printed = calloc(j->row_count, sizeof *j->printed);
  if (!j->printed) {
    fputs("engine: out of memory\n", stderr);
    return 1;
  }
  watchdog dog;
  bool watched = j->options->limit_ms && watchdog_start(&dog, j->options->limit_ms);
  run_first(j, expected ENGINE_CC);
  if (j->options->threads > 1)
    run_threads(j);
  if (watched)
    watchdog_stop(&dog);
  for (size_t i = 0; i < j->row_count; i++)
    free(j->printed[i].bytes);
  free(j->printed);
  return j->bad ? 1 : 0;
}

static int with_files(job *j, const text *expected) {
  row_list found = {NULL, 0};
  if (!thread_begin(0)) {
    fputs("engine: the globals could not be set up\n", stderr);
    return 1;
  }
  ENGINE_FETCH;
  int status = run_job(j, expected, &found ENGINE_CC);
  thread_end(0);
  for (size_t i = 0; i < found.count; i++)
    free(found.names[i]);
  free(found.names);
  return status;
}

int run_all(const run_options *o) {
  job j = {.options = o};
  text expected = {NULL, 0};
  int status = 3;
  if (read_file(o->script, &j.source) && (!o->expect || read_file(o->expect, &expected)))
    status = with_files(&j, o->expect ? &expected : NULL);
  free(j.source.bytes);
  free(expected.bytes);
  return status;
}
