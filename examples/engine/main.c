/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main.c - the command line: which script, which of its rows, how often, in how many threads.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "module.h"
#include "run.h"

enum exit_code { EXIT_FINE, EXIT_FAILED, EXIT_USAGE, EXIT_INPUT };

static const char help[] =
    "Usage: engine [OPTION]... SCRIPT [ROW]...\n"
    "Runs a script, or its `row` blocks: those named, or else all of them, one after the other.\n"
    "\n"
    "  -l, --list           print the names of the script's rows and stop\n"
    "  -e, --expect FILE    compare what is printed with FILE instead of printing it\n"
    "  -r, --repeat N       every thread runs every row N times (1)\n"
    "  -t, --threads N      N threads at once (1); each must print the same\n"
    "  -m, --module NAME    load a module first: tally, or a file's name with a / in it (may be repeated)\n"
    "      --late-module NAME  load one while the threads are at work\n"
    "      --limit MS       stop the running scripts after so many milliseconds\n"
    "      --memory         at the end, print the most memory the process had, in KiB, on standard error\n"
    "  -h, --help           print this and stop\n"
    "\n"
    "Exit: 0 done; 1 a script failed or printed something else than expected; 2 usage; 3 a file cannot be read.\n";

static _Noreturn void usage(const char *message, const char *what) {
  fprintf(stderr, "engine: %s%s%s; see engine --help\n", message, what ? ": " : "", what ? what : "");
  exit(EXIT_USAGE);
}

static unsigned number(const char *option, const char *text) {
  char *end;
  unsigned long n = strtoul(text, &end, 10);
  if (*end || end == text || *text == '-' || n == 0 || n > 1000000)
    usage("a number from 1 to 1000000 expected", option);
  return (unsigned)n;
}

static run_options parse(int argc, char **argv) {
  static const struct option options[] = {{"list", no_argument, 0, 'l'},
                                          {"expect", required_argument, 0, 'e'},
                                          {"repeat", required_argument, 0, 'r'},
                                          {"threads", required_argument, 0, 't'},
                                          {"limit", required_argument, 0, 'L'},
                                          {"module", required_argument, 0, 'm'},
                                          {"late-module", required_argument, 0, 'M'},
                                          {"memory", no_argument, 0, 'R'},
                                          {"help", no_argument, 0, 'h'},
                                          {0, 0, 0, 0}};
  run_options o = {.repeat = 1, .threads = 1};
  for (int c; (c = getopt_long(argc, argv, ":le:r:t:m:h", options, NULL)) != -1;) {
    switch (c) {
    case 'l':
      o.list = true;
      break;
    case 'e':
      o.expect = optarg;
      break;
    case 'r':
      o.repeat = number("--repeat", optarg);
      break;
    case 't':
      o.threads = number("--threads", optarg);
      break;
    case 'L':
      o.limit_ms = number("--limit", optarg);
      break;
    case 'm':
      if (!module_load(optarg))
        exit(EXIT_INPUT);
      break;
    case 'M':
      o.late_module = optarg;
      break;
    case 'R':
      o.memory = true;
      break;
    case 'h':
      fputs(help, stdout);
      exit(EXIT_FINE);
    case ':':
      usage("an argument is missing behind", argv[optind - 1]);
    default:
      usage("no such option", argv[optind - 1]);
    }
  }
  if (optind == argc)
    usage("a script's name expected", NULL);
  o.script = argv[optind];
  o.rows = (const char **)argv + optind + 1;
  o.row_count = (size_t)(argc - optind - 1);
#ifdef ENGINE_SINGLE
  if (o.threads > 1)
    usage("this is the build for one thread", NULL);
#endif
  return o;
}

int engine_main(int argc, char **argv) {
  if (!engine_startup()) {
    fputs("engine: the globals could not be set up\n", stderr);
    return EXIT_FAILED;
  }
  run_options o = parse(argc, argv);
  int status = run_all(&o);
  struct rusage used;
  if (o.memory && !getrusage(RUSAGE_SELF, &used))
    fprintf(stderr, "peak memory: %ld\n", used.ru_maxrss);
  modules_unload();
  engine_shutdown();
  return status;
}

#ifndef ENGINE_LIBRARY
int main(int argc, char **argv) { return engine_main(argc, argv); }
#endif
