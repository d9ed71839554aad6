// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host - a threaded server of the loopback address around an engine that runs scripts: see usage() and README.md.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "server.h"

// There only in a program that is linked with an engine.
extern const struct engine host_engine __attribute__((weak));

static void usage(FILE *to) {
  fputs("usage: host serve [options] FOLDER           answers requests for FOLDER's scripts, until SIGINT or SIGTERM\n"
        "       host test [options] FOLDER [PLAN]     serves, and asks itself what FOLDER/plan.txt (or PLAN) says\n"
        "       host load --port N [options] PLAN     asks a server on this machine, and checks every answer\n"
        "threads of serve and test:\n"
        "  --pool N         N threads that answer one request after the other (default: 4)\n"
        "  --recycle N      ... and end after N requests each; another takes the place\n"
        "  --each N         a thread for each request, at most N at a time\n"
        "  --main           the main thread answers; the only way with an engine that is not thread-safe\n"
        "  --silent N       each Nth thread that ends does so without a word to the engine\n"
        "limits:\n"
        "  --requests N     serve: stop after so many; test and load: ask so many (default: 2000)\n"
        "  --seconds N      stop after so long (default of test and load: 120)\n"
        "other:\n"
        "  --engine FILE    a library with an engine, opened by dlopen; else the one that host is linked with\n"
        "  --port N         of 127.0.0.1 (default: a free one, which is printed)\n"
        "  --clients N      requests at a time, of test and load (default: 8)\n"
        "  --warm N         memory and CPU time are compared from that request on (default: 500)\n"
        "  --stats FILE     what is printed at the end, as JSON\n"
        "Exit: 0 done and right, 1 a wrong answer, 2 usage, 3 the engine cannot be had, 4 the system refuses something\n",
        to);
}

struct options {
  struct server_options server;
  struct load_options load;
  const char *verb, *engine, *stats, *plan;
};

static void complain(const char *what, const char *about) {
  fprintf(stderr, "host: %s%s (try --help)\n", what, about);
  exit(2);
}

static uint64_t number_of(const char *option, const char *text, uint64_t least, uint64_t most) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  if (!end || *end || errno || value < least || value > most) {
    fprintf(stderr, "host: %s takes a number from %llu to %llu, not '%s' (try --help)\n", option, (unsigned long long)least,
            (unsigned long long)most, text ? text : "");
    exit(2);
  }
  return value;
}

// Takes one option; the arguments used, 0: it is none.
static int take_option(struct options *options, char **arguments) {
  const char *name = arguments[0], *value = arguments[1];
  struct server_options *server = &options->server;
  if (strncmp(name, "--", 2))
    return 0;
  if (!strcmp(name, "--main"))
    return server->how = SERVER_MAIN, 1;
  if (!strcmp(name, "--pool"))
    server->how = SERVER_POOL, server->threads = (int)number_of(name, value, 1, 256);
  else if (!strcmp(name, "--each"))
    server->how = SERVER_EACH, server->threads = (int)number_of(name, value, 1, 256);
  else if (!strcmp(name, "--recycle"))
    server->recycle = number_of(name, value, 1, UINT32_MAX);
  else if (!strcmp(name, "--silent"))
    server->silent = number_of(name, value, 1, UINT32_MAX);
  else if (!strcmp(name, "--requests"))
    options->load.requests = server->requests = number_of(name, value, 1, 100000000);
  else if (!strcmp(name, "--seconds"))
    options->load.seconds = server->seconds = (unsigned)number_of(name, value, 1, 86400);
  else if (!strcmp(name, "--warm"))
    server->warm = number_of(name, value, 1, 100000000);
  else if (!strcmp(name, "--port"))
    options->load.port = server->port = (int)number_of(name, value, 0, 65535);
  else if (!strcmp(name, "--clients"))
    options->load.clients = (int)number_of(name, value, 1, 256);
  else if (!strcmp(name, "--engine") && value)
    options->engine = value;
  else if (!strcmp(name, "--stats") && value)
    options->stats = value;
  else
    complain(value || (strcmp(name, "--engine") && strcmp(name, "--stats")) ? "unknown option: " : "a file name is missing: ",
             name);
  return 2;
}

static void parse(struct options *options, int argc, char **argv) {
  const char *free_standing[3] = {NULL};
  int count = 0, used;
  for (int i = 1; i < argc; i += used) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      usage(stdout);
      exit(0);
    }
    if ((used = take_option(options, argv + i)))
      continue;
    if (count == 3)
      complain("too many words: ", argv[i]);
    free_standing[count++] = argv[i];
    used = 1;
  }
  if (!count) {
    usage(stderr);
    exit(2);
  }
  options->verb = free_standing[0];
  if (!strcmp(options->verb, "load") && count == 2) {
    options->load.plan = free_standing[1];
    if (!options->load.port)
      complain("load needs ", "--port N");
  } else if ((!strcmp(options->verb, "serve") && count == 2) || (!strcmp(options->verb, "test") && count >= 2)) {
    options->server.folder = free_standing[1];
    options->load.plan = free_standing[2];
  } else {
    complain("not a command, or not its words: ", options->verb);
  }
}

static const struct engine *get_engine(const struct options *options) {
  const struct engine *engine = &host_engine;
  if (options->engine) {
    void *library = dlopen(options->engine, RTLD_NOW | RTLD_LOCAL);
    engine = library ? dlsym(library, "host_engine") : NULL;
    if (!engine) {
      fprintf(stderr, "host: the engine cannot be loaded: %s\n", dlerror());
      exit(3);
    }
  }
  if (!engine) {
    fprintf(stderr, "host: this program is linked with no engine: name one with --engine FILE\n");
    exit(3);
  }
  if (!engine->threads && options->server.how != SERVER_MAIN) {
    fprintf(stderr, "host: %s is not thread-safe: it runs with --main, or take a build of it that is\n", engine->name);
    exit(3);
  }
  return engine;
}

// The requests of `test` come from a process of their own, so that the server's memory and CPU time are the server's. It is made
// before the engine starts: a fork of a process with threads would be another test. It begins when a byte comes through *end,
// which it closes when it is done.
static pid_t start_load(struct options *options, int listener, int *end) {
  char path[4096];
  int ends[2];
  snprintf(path, sizeof path, "%s/plan.txt", options->server.folder);
  if (!options->load.plan)
    options->load.plan = path;
  if (access(options->load.plan, R_OK) != 0) {
    fprintf(stderr, "host: no plan %s: %s\n", options->load.plan, strerror(errno));
    exit(2);
  }
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    perror("host: socketpair"), exit(4);
  pid_t child = fork();
  if (child < 0)
    perror("host: fork"), exit(4);
  if (child == 0) {
    close(listener);
    close(ends[0]);
    char go; // comes when the engine has started
    int code = read(ends[1], &go, 1) == 1 ? load_run(&options->load) : 0;
    fflush(stdout);
    _exit(code);
  }
  close(ends[1]);
  *end = ends[0];
  return child;
}

static int serve(struct options *options) {
  bool test = !strcmp(options->verb, "test");
  struct server_result result = {0};
  struct engine_count count = {-1, -1, -1, -1, -1};
  struct stat folder;
  if (stat(options->server.folder, &folder) != 0 || !S_ISDIR(folder.st_mode))
    complain("no such folder: ", options->server.folder);
  static char folder_path[PATH_MAX];
  options->server.folder = realpath(options->server.folder, folder_path);
  const struct engine *engine = get_engine(options);
  server_signals();
  int listener = server_listen(&options->server.port), code = 0, status = 0;
  if (listener < 0)
    return 4;
  options->load.port = options->server.port;
  pid_t child = 0;
  if (test) {
    options->server.requests = options->server.seconds = 0; // the load has an end, and then the server has
    child = start_load(options, listener, &options->server.child);
  }
  const char *error = engine->start("host");
  if (error) {
    fprintf(stderr, "host: %s: %s\n", engine->name, error);
    return 3;
  }
  printf("host: %s listens on 127.0.0.1:%d\n", engine->name, options->server.port);
  fflush(stdout);
  if (test && write(options->server.child, "", 1) != 1)
    perror("host: the load cannot be started");
  server_run(listener, &options->server, engine, &result);
  close(listener);
  engine->count(&count);
  engine->stop();
  if (test && waitpid(child, &status, 0) == child)
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 4;
  server_print(&result, engine, &count);
  if (result.refused_threads) {
    fprintf(stderr, "host: the engine refused %llu threads\n", (unsigned long long)result.refused_threads);
    code = code ? code : 3;
  }
  if (options->stats && server_json(options->stats, &result, engine, &count))
    code = code ? code : 4;
  return code;
}

int main(int argc, char **argv) {
  struct options options = {.server = {.how = SERVER_POOL, .threads = 4, .warm = 500, .child = -1},
                            .load = {.clients = 8, .requests = 2000, .seconds = 120}};
  parse(&options, argc, argv);
  return !strcmp(options.verb, "load") ? load_run(&options.load) : serve(&options);
}
