// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_json.c - the statistics as JSON, schema freehold-stats/1 (docs/statistics.md), on one line.
#include "stats.h"
#include "threads.h"

#include <errno.h>

static void name(struct fhi_text *text, const char *key) {
  fhi_text_add(text, text->last == '{' ? "\"" : ",\"");
  fhi_text_add(text, key);
  fhi_text_add(text, "\":");
}

static void number(struct fhi_text *text, const char *key, uint64_t value) {
  name(text, key);
  fhi_text_number(text, value);
}

// A program's name may hold any byte: what is not plain ASCII becomes one \u00xx each.
static void string(struct fhi_text *text, const char *key, const char *value) {
  name(text, key);
  fhi_text_add(text, "\"");
  for (; *value; ++value) {
    unsigned char c = (unsigned char)*value;
    char plain[2] = {*value, 0}, escaped[7] = {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15], 0};
    fhi_text_add(text, c < ' ' || c > '~' || c == '"' || c == '\\' ? escaped : plain);
  }
  fhi_text_add(text, "\"");
}

static void heap(struct fhi_text *text, const char *key, const fh_stats_heap_t *heap) {
  name(text, key);
  fhi_text_add(text, "{");
  number(text, "live_bytes", heap->live_bytes);
  number(text, "live_blocks", heap->live_blocks);
  number(text, "page_bytes", heap->page_bytes);
  number(text, "huge_bytes", heap->huge_bytes);
  number(text, "peak_page_bytes", heap->peak_page_bytes);
  number(text, "idle_bytes", heap->idle_bytes);
  number(text, "mapped_bytes", heap->mapped_bytes);
  number(text, "purged_bytes", heap->purged_bytes);
  number(text, "remote_sent", heap->remote_sent);
  number(text, "remote_received", heap->remote_received);
  number(text, "heaps", heap->heaps);
  number(text, "segments", heap->segments);
  number(text, "pages", heap->pages);
  number(text, "huge_blocks", heap->huge_blocks);
  fhi_text_add(text, "}");
}

static void threads(struct fhi_text *text) {
  bool first = true;
  name(text, "threads");
  fhi_text_add(text, "[");
  fhi_lock();
  for (const struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all) {
    if (!fhi_thread_has_heap(thread))
      continue;
    fh_stats_thread_t one;
    fhi_stats_of_thread(&one, thread);
    fhi_text_add(text, first ? "{" : ",{");
    first = false;
    number(text, "tid", one.tid);
    name(text, "is_caller");
    fhi_text_add(text, one.is_caller ? "true" : "false");
    number(text, "idle_ms", one.idle_ms);
    heap(text, "local", &one.local);
    heap(text, "shared", &one.shared);
    fhi_text_add(text, "}");
  }
  fhi_unlock();
  fhi_text_add(text, "]");
}

void fhi_stats_json(struct fhi_text *text) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  fh_stats_read(&stats);
  fhi_text_add(text, "{");
  string(text, "schema", "freehold-stats/1");
  number(text, "pid", stats.pid);
  string(text, "program", program_invocation_short_name);
  name(text, "system");
  fhi_text_add(text, "{");
  number(text, "mapped_bytes", stats.mapped_bytes);
  number(text, "cached_bytes", stats.cached_bytes);
  number(text, "peak_mapped_bytes", stats.peak_mapped_bytes);
  name(text, "limit_bytes");
  if (stats.limit_bytes == SIZE_MAX)
    fhi_text_add(text, "null");
  else
    fhi_text_number(text, stats.limit_bytes);
  number(text, "purged_bytes", stats.purged_bytes);
  number(text, "resident_bytes", stats.resident_bytes);
  number(text, "peak_resident_bytes", stats.peak_resident_bytes);
  fhi_text_add(text, "}");
  heap(text, "local", &stats.local);
  heap(text, "shared", &stats.shared);
  number(text, "waiting_heaps", stats.waiting_heaps);
  heap(text, "waiting", &stats.waiting);
  threads(text);
  fhi_text_add(text, "}\n");
}
