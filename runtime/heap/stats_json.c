// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_json.c - the statistics as JSON, schema freehold-stats/1 (docs/statistics.md), on one line.
#include "stats.h"
#include "threads.h"

#include <errno.h>

static void heap(struct fhi_text *text, const char *key, const fh_stats_heap_t *heap) {
  fhi_json_name(text, key);
  fhi_text_add(text, "{");
  fhi_json_number(text, "live_bytes", heap->live_bytes);
  fhi_json_number(text, "live_blocks", heap->live_blocks);
  fhi_json_number(text, "page_bytes", heap->page_bytes);
  fhi_json_number(text, "huge_bytes", heap->huge_bytes);
  fhi_json_number(text, "peak_page_bytes", heap->peak_page_bytes);
  fhi_json_number(text, "idle_bytes", heap->idle_bytes);
  fhi_json_number(text, "mapped_bytes", heap->mapped_bytes);
  fhi_json_number(text, "purged_bytes", heap->purged_bytes);
  fhi_json_number(text, "remote_sent", heap->remote_sent);
  fhi_json_number(text, "remote_received", heap->remote_received);
  fhi_json_number(text, "heaps", heap->heaps);
  fhi_json_number(text, "segments", heap->segments);
  fhi_json_number(text, "pages", heap->pages);
  fhi_json_number(text, "huge_blocks", heap->huge_blocks);
  fhi_text_add(text, "}");
}

static void threads(struct fhi_text *text) {
  bool first = true;
  fhi_json_name(text, "threads");
  fhi_text_add(text, "[");
  fhi_lock();
  for (const struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all) {
    if (!fhi_thread_has_heap(thread))
      continue;
    fh_stats_thread_t one;
    fhi_stats_of_thread(&one, thread);
    fhi_text_add(text, first ? "{" : ",{");
    first = false;
    fhi_json_number(text, "tid", one.tid);
    fhi_json_name(text, "is_caller");
    fhi_text_add(text, one.is_caller ? "true" : "false");
    fhi_json_number(text, "idle_ms", one.idle_ms);
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
  fhi_json_string(text, "schema", "freehold-stats/1");
  fhi_json_number(text, "pid", stats.pid);
  fhi_json_string(text, "program", program_invocation_short_name);
  fhi_json_name(text, "system");
  fhi_text_add(text, "{");
  fhi_json_number(text, "mapped_bytes", stats.mapped_bytes);
  fhi_json_number(text, "cached_bytes", stats.cached_bytes);
  fhi_json_number(text, "peak_mapped_bytes", stats.peak_mapped_bytes);
  fhi_json_name(text, "limit_bytes");
  if (stats.limit_bytes == SIZE_MAX)
    fhi_text_add(text, "null");
  else
    fhi_text_number(text, stats.limit_bytes);
  fhi_json_number(text, "purged_bytes", stats.purged_bytes);
  fhi_json_number(text, "resident_bytes", stats.resident_bytes);
  fhi_json_number(text, "peak_resident_bytes", stats.peak_resident_bytes);
  fhi_text_add(text, "}");
  heap(text, "local", &stats.local);
  heap(text, "shared", &stats.shared);
  fhi_json_number(text, "waiting_heaps", stats.waiting_heaps);
  heap(text, "waiting", &stats.waiting);
  threads(text);
  fhi_text_add(text, "}\n");
}
