// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan is a file of lines `METHOD TARGET STATUS TEXT`: ask that, and an answer with that status is right that contains the
// text (the rest of the line; empty: any). `{}` in target and text is the request's number, so that no two requests have the same
// right answer. A posted body is 100 bytes and one more for each number, up to 1,099. `#` begins a comment. Requests take the
// lines in turn.
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http.h"

#define CASES 64
#define SHOWN 5 // wrong answers that are printed

struct one {
  char method[8], target[512], text[512];
  int status;
};

struct load {
  const struct load_options *options;
  struct one cases[CASES];
  unsigned count;
  _Atomic uint64_t next, right, wrong, silent;
  struct timespec end;
};

static int read_plan(const char *path, struct load *load) {
  char line[1024];
  FILE *file = fopen(path, "re");
  if (!file) {
    fprintf(stderr, "host: cannot read the plan %s: %s\n", path, strerror(errno));
    return 2;
  }
  for (int number = 1; fgets(line, sizeof line, file); number++) {
    struct one *one = &load->cases[load->count];
    int used = 0;
    line[strcspn(line, "\n")] = 0;
    if (!*line || *line == '#')
      continue;
    if (load->count == CASES || sscanf(line, "%7s %511s %d %n", one->method, one->target, &one->status, &used) != 3 || !used) {
      fprintf(stderr, "host: %s:%d: %s\n", path, number,
              load->count == CASES ? "too many lines" : "a line is METHOD TARGET STATUS TEXT");
      fclose(file);
      return 2;
    }
    snprintf(one->text, sizeof one->text, "%s", line + used);
    load->count++;
  }
  fclose(file);
  if (!load->count)
    fprintf(stderr, "host: the plan %s asks for nothing\n", path);
  return load->count ? 0 : 2;
}

static void fill(char *into, size_t room, const char *pattern, uint64_t number) {
  const char *at = strstr(pattern, "{}");
  if (at)
    snprintf(into, room, "%.*s%" PRIu64 "%s", (int)(at - pattern), pattern, number, at + 2);
  else
    snprintf(into, room, "%s", pattern);
}

static bool late(const struct load *load) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec > load->end.tv_sec || (now.tv_sec == load->end.tv_sec && now.tv_nsec >= load->end.tv_nsec);
}

static void ask(struct load *load, uint64_t number) {
  const struct one *one = &load->cases[number % load->count];
  char target[600], text[600], body[1200];
  struct buffer answer = {0};
  fill(target, sizeof target, one->target, number);
  fill(text, sizeof text, one->text, number);
  size_t size = strcmp(one->method, "POST") ? 0 : 100 + number % 1000;
  memset(body, 'x', size);
  body[size] = 0;
  errno = 0;
  int status = http_ask(load->options->port, load->options->seconds, one->method, target, body, &answer);
  const char *got = answer.text ? answer.text : "";
  if (status == one->status && strstr(got, text)) {
    load->right++;
  } else {
    int error = errno;
    if (!status)
      load->silent++;
    if (load->wrong++ < SHOWN && !status)
      fprintf(stderr, "load: %s %s: expected %d \"%s\", got no answer: %s\n", one->method, target, one->status, text,
              error ? strerror(error) : "it ends too early");
    else if (load->wrong <= SHOWN)
      fprintf(stderr, "load: %s %s: expected %d \"%s\", got %d \"%.200s\"\n", one->method, target, one->status, text, status,
              got);
  }
  buffer_free(&answer);
}

static void *client(void *argument) {
  struct load *load = argument;
  for (uint64_t number; (number = load->next++) < load->options->requests && !late(load);)
    ask(load, number);
  return NULL;
}

int load_run(const struct load_options *options) {
  static struct load load;
  pthread_t threads[256];
  struct timespec start, now;
  int clients = 0;
  load.options = options;
  if (read_plan(options->plan, &load))
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &start);
  load.end = start;
  load.end.tv_sec += options->seconds;
  while (clients < options->clients && clients < 256 && pthread_create(&threads[clients], NULL, client, &load) == 0)
    clients++;
  if (!clients)
    client(&load);
  for (int i = 0; i < clients; i++)
    pthread_join(threads[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  double took = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9;
  uint64_t done = load.right + load.wrong;
  printf("load: %" PRIu64 " requests, %" PRIu64 " right, %" PRIu64 " wrong (%" PRIu64
         " of them without an answer), %.0f a second\n",
         done, load.right, load.wrong, load.silent, (double)done / (took > 0 ? took : 1));
  if (done < options->requests)
    fprintf(stderr, "load: gave up after %u s, %" PRIu64 " requests short\n", options->seconds, options->requests - done);
  return load.wrong || done < options->requests;
}
