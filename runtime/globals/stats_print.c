// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_print.c - the statistics of an engine as a text and as JSON, in the style of the heap's (docs/globals.md).
#include "globals.h"

#include "../os/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const Modes[] = {"?", "static", "gs", "cached", "pointer", "passed", "classic"};
static const char *mode_of(const fh_globals_t *engine) { return Modes[engine->mode <= 6 ? engine->mode : 0]; }

// ---- for people ----

static void row(struct fhi_text *text, const char *name, void (*as)(struct fhi_text *, uint64_t), uint64_t value,
                const char *what) {
  fhi_text_add(text, "  ");
  fhi_text_left(text, name, FHI_TEXT_FIRST - 2);
  as(text, value);
  fhi_text_add(text, what);
  fhi_text_add(text, "\n");
}

static void resource_row(struct fhi_text *text, const fh_globals_resource_info_t *info) {
  char first[40] = {0};
  struct fhi_text name = {.buffer = first, .size = sizeof first - 1};
  fhi_text_number(&name, (uint64_t)info->id);
  fhi_text_add(&name, " ");
  fhi_text_add(&name, info->name ? info->name : "");
  fhi_text_add(text, "  ");
  fhi_text_left(text, first, 38);
  fhi_text_bytes(text, info->size);
  if (info->offset)
    fhi_text_count(text, info->offset);
  else
    fhi_text_right(text, "apart", FHI_TEXT_COLUMN);
  fhi_text_count(text, info->threads);
  fhi_text_bytes(text, info->size * info->threads);
  fhi_text_add(text, "\n");
}

static void print_text(struct fhi_text *text, fh_globals_t *engine, const fh_globals_stats_t *stats) {
  fhi_text_add(text, "freehold: globals of ");
  fhi_text_add(text, engine->name);
  fhi_text_add(text, ", mode ");
  fhi_text_add(text, mode_of(engine));
  fhi_text_add(text, ", in process ");
  fhi_text_number(text, (uint64_t)getpid());
  fhi_text_add(text, " (");
  fhi_text_add(text, program_invocation_short_name);
  fhi_text_add(text, ")\n");
  row(text, "threads", fhi_text_count, stats->threads, "   that have a block");
  row(text, "threads, peak", fhi_text_count, stats->peak_threads, "");
  row(text, "blocks so far", fhi_text_count, stats->started, "");
  row(text, "a thread block", fhi_text_bytes, stats->block_bytes, "");
  row(text, "  its reserve", fhi_text_bytes, stats->reserve_bytes, "");
  row(text, "  of it used", fhi_text_bytes, stats->reserve_used, "");
  row(text, "apart from it", fhi_text_bytes, stats->separate_bytes, "   a thread");
  row(text, "all threads", fhi_text_bytes, stats->total_bytes, "");
  fhi_text_left(text, "resources", 40);
  fhi_text_right(text, "a thread", FHI_TEXT_COLUMN);
  fhi_text_right(text, "at", FHI_TEXT_COLUMN);
  fhi_text_right(text, "threads", FHI_TEXT_COLUMN);
  fhi_text_right(text, "in all", FHI_TEXT_COLUMN);
  fhi_text_add(text, "\n");
}

// ---- JSON ----

static void resource_json(struct fhi_text *text, const fh_globals_resource_info_t *info) {
  fhi_text_add(text, text->last == '[' ? "{" : ",{");
  fhi_json_number(text, "id", (uint64_t)info->id);
  fhi_json_string(text, "name", info->name);
  fhi_json_number(text, "bytes", info->size);
  fhi_json_number(text, "offset", info->offset);
  fhi_json_number(text, "threads", info->threads);
  fhi_text_add(text, "}");
}

static void print_json(struct fhi_text *text, fh_globals_t *engine, const fh_globals_stats_t *stats) {
  fhi_text_add(text, "{");
  fhi_json_string(text, "schema", "freehold-globals-stats/1");
  fhi_json_number(text, "pid", (uint64_t)getpid());
  fhi_json_string(text, "program", program_invocation_short_name);
  fhi_json_string(text, "engine", engine->name);
  fhi_json_string(text, "mode", mode_of(engine));
  fhi_json_number(text, "threads", stats->threads);
  fhi_json_number(text, "peak_threads", stats->peak_threads);
  fhi_json_number(text, "started", stats->started);
  fhi_json_number(text, "ended", stats->ended);
  fhi_json_number(text, "block_bytes", stats->block_bytes);
  fhi_json_number(text, "reserve_bytes", stats->reserve_bytes);
  fhi_json_number(text, "reserve_used", stats->reserve_used);
  fhi_json_number(text, "separate_bytes", stats->separate_bytes);
  fhi_json_number(text, "total_bytes", stats->total_bytes);
  fhi_json_name(text, "resources");
  fhi_text_add(text, "[");
}

static void print(struct fhi_text *text, fh_globals_t *engine, fh_stats_form_t form) {
  fh_globals_stats_t stats;
  fh_globals_resource_info_t info;
  // Held from the first number to the last: they belong together, and a name is not unloaded while it is read.
  fhi_enter(engine);
  fhi_stats_read(engine, &stats);
  (form == FH_STATS_JSON ? print_json : print_text)(text, engine, &stats);
  for (int id = 0; fhi_stats_next(engine, id, &info); id = info.id)
    (form == FH_STATS_JSON ? resource_json : resource_row)(text, &info);
  fhi_leave(engine);
  fhi_text_add(text, form == FH_STATS_JSON ? "]}\n" : "");
}

size_t fh_globals_stats_format(fh_globals_t *engine, char *buffer, size_t size, fh_stats_form_t form) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL), 0;
  struct fhi_text text = {.buffer = buffer, .size = size == 0 ? 0 : size - 1};
  print(&text, engine, form);
  if (size != 0)
    buffer[text.length < size ? text.length : size - 1] = '\0';
  fhi_error(0);
  return text.length;
}

int fh_globals_stats_print(fh_globals_t *engine, int fd, fh_stats_form_t form) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL);
  struct fhi_text text = {0};
  // More resources may come between the measuring and the printing.
  do {
    free(text.buffer);
    text = (struct fhi_text){.size = text.length + 4096};
    text.buffer = malloc(text.size);
    if (!text.buffer)
      return fhi_error(FH_GLOBALS_ENOMEM);
    print(&text, engine, form);
  } while (text.length > text.size);
  // One write, as far as the kernel goes, so that the texts of several processes do not mix.
  int error = fhi_os_write(fd, text.buffer, text.length);
  free(text.buffer);
  return fhi_error(error == 0 ? 0 : FH_GLOBALS_EINVAL);
}

void fhi_stats_at_shutdown(fh_globals_t *engine) {
  const char *wanted = secure_getenv("FREEHOLD_STATS");
  if (wanted && strcmp(wanted, "1") == 0)
    fh_globals_stats_print(engine, STDERR_FILENO, FH_STATS_TEXT);
  if (wanted && strcmp(wanted, "json") == 0)
    fh_globals_stats_print(engine, STDERR_FILENO, FH_STATS_JSON);
}
