// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// engine.h - what the server asks of the engine that answers requests. php.c is PHP behind this interface, echo.c an engine of a
// page, for trying the server alone. An engine is linked with the server, or is a library of its own that the server opens by
// dlopen, and with it all that it needs: then libphp.so comes into the process as Apache's module does.
#ifndef HOST_ENGINE_H
#define HOST_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One request and its answer. The server owns all memory; strings end with 0. What an engine puts into the answer it puts there
// by the functions below, which grow the buffers; false: no memory, and the answer is dropped.
struct buffer {
  char *text;
  size_t size, room;
};
struct request {
  const char *method, *uri, *query, *type; // query and type may be ""
  const char *script;                      // the file that the path names; it is there
  const char *body;
  size_t body_size, body_read;
  int status;                    // 200 unless the engine says otherwise
  struct buffer headers, answer; // headers: whole lines
};
bool buffer_add(struct buffer *buffer, const char *text, size_t size);
void buffer_free(struct buffer *buffer);

// What an engine knows of its threads; -1: it does not say.
struct engine_count {
  int64_t blocks, started, ended; // threads that have globals now; that ever had, and that had them destroyed
  int64_t resources, bytes;       // of one thread block
};

struct engine {
  const char *name;
  bool threads; // may it answer in other threads than the main thread?
  // On the main thread, around all else. start gives an error's text, NULL when all is well.
  const char *(*start)(const char *program);
  void (*stop)(void);
  // On each other thread, around its requests. thread_end is not called by a thread that ends without a word.
  bool (*thread_begin)(void);
  void (*thread_end)(void);
  void (*answer)(struct request *request);
  void (*count)(struct engine_count *count);
  uint64_t (*logged)(void); // messages so far: what an engine would write to a log is counted
};
extern const struct engine host_engine;

#endif
