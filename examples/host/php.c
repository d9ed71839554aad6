// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// php.c - PHP as the engine: libphp's embed interface, its callbacks set so that output, headers and posted data go to and come
// from a struct request. Compiled against the headers of the PHP whose libphp.so it runs with; thread-safe builds of every kind
// and, for one thread, the non-thread-safe one. Of Freehold it needs nothing: where PHP's headers are Freehold's, it counts
// thread blocks.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "SAPI.h"
#include "php.h"
#include "php_main.h"
#include "php_variables.h"
#include "sapi/embed/php_embed.h"

#include "engine.h"

static atomic_ulong logged;

static struct request *current(void) { return SG(server_context); } // NULL in what PHP does outside requests

static size_t put(const char *text, size_t size) {
  struct request *request = current();
  if (request)
    buffer_add(&request->answer, text, size);
  return size;
}

static int put_headers(sapi_headers_struct *headers) {
  struct request *request = current();
  if (!request)
    return SAPI_HEADER_SENT_SUCCESSFULLY;
  request->status = headers->http_response_code;
  zend_llist_position at;
  for (sapi_header_struct *header = zend_llist_get_first_ex(&headers->headers, &at); header;
       header = zend_llist_get_next_ex(&headers->headers, &at)) {
    buffer_add(&request->headers, header->header, header->header_len);
    buffer_add(&request->headers, "\r\n", 2);
  }
  return SAPI_HEADER_SENT_SUCCESSFULLY;
}

static size_t read_post(char *into, size_t room) {
  struct request *request = current();
  size_t left = request ? request->body_size - request->body_read : 0, size = left < room ? left : room;
  if (size)
    memcpy(into, request->body + request->body_read, size), request->body_read += size;
  return size;
}

static void set_variables(zval *variables) {
  struct request *request = current();
  if (!request)
    return;
  const char *pairs[] = {"REQUEST_METHOD", request->method, "REQUEST_URI", request->uri, "QUERY_STRING",    request->query,
                         "PHP_SELF",       request->uri,    "SERVER_NAME", "localhost",  "SCRIPT_FILENAME", request->script};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += 2)
    php_register_variable(pairs[i], pairs[i + 1], variables);
}

static void count_message(const char *message, int severity) {
  (void)message, (void)severity;
  logged++;
}

static void set_default(HashTable *configuration, const char *name, const char *text) {
  zval value;
  ZVAL_NEW_STR(&value, zend_string_init(text, strlen(text), 1));
  zend_hash_str_update(configuration, name, strlen(name), &value);
}

// An error is the server's answer 500 and a message, not a page.
static void set_defaults(HashTable *configuration) {
  set_default(configuration, "display_errors", "0");
  set_default(configuration, "log_errors", "1");
}

static const char *start(const char *program) {
  static char *arguments[2];
  arguments[0] = (char *)program;
  php_embed_module.ub_write = put;
  php_embed_module.flush = NULL;
  php_embed_module.deactivate = NULL;
  php_embed_module.send_headers = put_headers;
  php_embed_module.read_post = read_post;
  php_embed_module.register_server_variables = set_variables;
  php_embed_module.log_message = count_message;
  php_embed_module.ini_defaults = set_defaults;
  php_embed_module.php_ini_ignore = 1; // the same PHP on every machine
  if (php_embed_init(1, arguments) == FAILURE)
    return "PHP does not start";
  php_request_shutdown(NULL); // php_embed_init leaves a request open, for programs that have just that one
  return NULL;
}

static void stop(void) {
  php_request_startup(); // php_embed_shutdown ends it
  php_embed_shutdown();
}

static bool thread_begin(void) {
#ifdef ZTS
  return ts_resource(0) != NULL;
#else
  return false;
#endif
}

static void thread_end(void) {
#ifdef ZTS
  ts_free_thread();
#endif
}

// The request's memory is the server's, and goes.
static void leave(void) {
  SG(server_context) = NULL;
  SG(request_info) = (sapi_request_info){0};
}

static void answer(struct request *request) {
  SG(server_context) = request;
  SG(sapi_headers).http_response_code = 200;
  SG(options) |= SAPI_OPTION_NO_CHDIR;
  SG(request_info) = (sapi_request_info){
      .request_method = request->method,
      .request_uri = (char *)request->uri,
      .query_string = (char *)request->query,
      .path_translated = (char *)request->script,
      .content_type = *request->type ? request->type : NULL,
      .content_length = (zend_long)request->body_size,
      .proto_num = 1001,
  };
  if (php_request_startup() == FAILURE) {
    request->status = 500;
    leave();
    return;
  }
  zend_file_handle file;
  zend_stream_init_filename(&file, request->script);
  file.primary_script = 1;
  php_execute_script(&file);
  zend_destroy_file_handle(&file);
  php_request_shutdown(NULL);
  leave();
}

#ifdef FREEHOLD_GLOBALS_H
#pragma weak fh_globals_stats /* a libphp.so has of Freehold what it was linked with */
static void count(struct engine_count *count) {
  fh_globals_stats_t stats;
  if (fh_globals_stats && fh_globals_stats(&fh_globals_tsrm, &stats, sizeof stats) == 0)
    *count = (struct engine_count){(int64_t)stats.threads, (int64_t)stats.started, (int64_t)stats.ended, (int64_t)stats.resources,
                                   (int64_t)(stats.block_bytes + stats.separate_bytes)};
}
#else
static void count(struct engine_count *count) { (void)count; }
#endif

static uint64_t count_logged(void) { return logged; }

#ifdef ZTS
#define THREADS true
#else
#define THREADS false
#endif
__attribute__((visibility("default"))) const struct engine host_engine = {
    "PHP " PHP_VERSION, THREADS, start, stop, thread_begin, thread_end, answer, count, count_logged};
