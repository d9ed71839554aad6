// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// server.h - the server: a listening socket of the loopback address, threads that answer, and what is known about them at the
// end.
#ifndef HOST_SERVER_H
#define HOST_SERVER_H

#include <stdatomic.h>
#include <stdio.h>

#include "engine.h"

enum server_how {
  SERVER_MAIN, // the main thread answers, one request after the other
  SERVER_POOL, // threads that answer many requests each
  SERVER_EACH  // a thread for each request
};
struct server_options {
  enum server_how how;
  const char *folder; // where the scripts are; no slash at the end
  int port;           // 0: a free one
  int threads;        // of the pool, or at most at a time
  uint64_t recycle;   // a thread of the pool ends after so many requests, and another takes its place; 0: never
  uint64_t silent;    // of the threads that end, each so-manieth does without a word; 0: none
  uint64_t requests;  // stops after so many; 0: not
  unsigned seconds;   // stops after so long; 0: not
  uint64_t warm;      // memory and CPU time are taken from this request on
  int child;          // stops when this descriptor comes to its end; -1: not
};

struct server_result {
  _Atomic uint64_t answered, found, missing, refused, failed, gone; // by status: 2xx, 404, 4xx, 5xx, nobody there
  uint64_t threads, silent, refused_threads;                        // that ended; without a word; that the engine did not take
  uint64_t peak_threads;
  uint64_t warm_requests;                              // when the figures "warm" were taken
  uint64_t memory_start, memory_warm, memory_end;      // resident bytes
  _Atomic uint64_t memory_peak;                        // as seen now and then
  double user_warm, user_end, system_warm, system_end; // CPU seconds of the process
};

// A listening socket, and its port in *port. -1: a message has been printed.
int server_listen(int *port);
// Answers until it is time to stop: a limit of the options, SIGINT or SIGTERM. All threads have ended when it returns.
int server_run(int listener, const struct server_options *options, const struct engine *engine, struct server_result *result);
void server_signals(
    void); // before the engine's start: SIGINT and SIGTERM stop the server, writing to a closed socket is an error

uint64_t server_memory(void);
void server_print(const struct server_result *result, const struct engine *engine, const struct engine_count *count);
int server_json(const char *path, const struct server_result *result, const struct engine *engine,
                const struct engine_count *count);

#endif
