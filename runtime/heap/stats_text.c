// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats_text.c - the statistics for people, and what is printed with either printer.
#include "stats.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

typedef void form(struct fhi_text *text, uint64_t number);

static void row(struct fhi_text *text, const char *name, form *as, uint64_t local, uint64_t shared, const char *what) {
  fhi_text_add(text, "  ");
  fhi_text_left(text, name, FHI_TEXT_FIRST - 2);
  as(text, local);
  as(text, shared);
  as(text, local + shared);
  if (*what) {
    fhi_text_add(text, "   ");
    fhi_text_add(text, what);
  }
  fhi_text_add(text, "\n");
}

static void heading(struct fhi_text *text, const char *first, const char *const *columns) {
  fhi_text_left(text, first, FHI_TEXT_FIRST);
  for (; *columns; ++columns)
    fhi_text_right(text, *columns, FHI_TEXT_COLUMN);
  fhi_text_add(text, "\n");
}

static void heaps(struct fhi_text *text, const fh_stats_t *stats) {
  static const char *const Columns[] = {"local", "shared", "both", NULL};
  const fh_stats_heap_t *local = &stats->local, *shared = &stats->shared;
  heading(text, "heaps", Columns);
  row(text, "live", fhi_text_bytes, local->live_bytes, shared->live_bytes, "blocks handed out and not freed");
  row(text, "live blocks", fhi_text_count, local->live_blocks, shared->live_blocks, "");
  row(text, "pages", fhi_text_bytes, local->page_bytes, shared->page_bytes, "of 64 KiB, in use");
  row(text, "huge blocks", fhi_text_bytes, local->huge_bytes, shared->huge_bytes, "with a mapping of their own");
  row(text, "pages, peak", fhi_text_bytes, local->peak_page_bytes, shared->peak_page_bytes, "sum of the heaps' own peaks");
  row(text, "idle", fhi_text_bytes, local->idle_bytes, shared->idle_bytes, "pages kept for the next rise");
  row(text, "mapped", fhi_text_bytes, local->mapped_bytes, shared->mapped_bytes, "address space");
  row(text, "remote frees", fhi_text_count, local->remote_sent, shared->remote_sent, "of other threads' blocks");
  row(text, "  come home", fhi_text_count, local->remote_received, shared->remote_received, "");
}

static void system_memory(struct fhi_text *text, const fh_stats_t *stats) {
  static const char *const Columns[] = {"now", "peak", NULL};
  heading(text, "system", Columns);
  fhi_text_left(text, "  mapped", FHI_TEXT_FIRST);
  fhi_text_bytes(text, stats->mapped_bytes);
  fhi_text_bytes(text, stats->peak_mapped_bytes);
  if (stats->limit_bytes != SIZE_MAX) {
    fhi_text_add(text, "   limit");
    fhi_text_bytes(text, stats->limit_bytes);
  }
  fhi_text_left(text, "\n  kept for any thread", FHI_TEXT_FIRST + 1);
  fhi_text_bytes(text, stats->cached_bytes);
  fhi_text_left(text, "\n  resident", FHI_TEXT_FIRST + 1);
  fhi_text_bytes(text, stats->resident_bytes);
  fhi_text_bytes(text, stats->peak_resident_bytes);
  fhi_text_add(text, "   the whole process\n");
  fhi_text_left(text, "  given back", FHI_TEXT_FIRST);
  fhi_text_bytes(text, stats->purged_bytes);
  fhi_text_add(text, "                so far\n");
}

static void thread_row(struct fhi_text *text, const fh_stats_thread_t *thread) {
  char name[24] = {0};
  struct fhi_text tid = {.buffer = name, .size = sizeof name - 1};
  fhi_text_number(&tid, thread->tid);
  fhi_text_add(text, "  ");
  fhi_text_left(text, name, 10);
  fhi_text_left(text, thread->is_caller ? "(this)" : "", FHI_TEXT_FIRST - 12);
  if (thread->idle_ms < 10000) {
    fhi_text_count(text, thread->idle_ms);
    fhi_text_add(text, " ms");
  } else {
    fhi_text_count(text, thread->idle_ms / 1000);
    fhi_text_add(text, " s ");
  }
  fhi_text_bytes(text, thread->local.live_bytes);
  fhi_text_bytes(text, thread->shared.live_bytes);
  fhi_text_bytes(text, thread->local.peak_page_bytes + thread->shared.peak_page_bytes);
  fhi_text_count(text, thread->shared.remote_sent);
  fhi_text_add(text, "\n");
}

static void threads(struct fhi_text *text, const fh_stats_t *stats) {
  enum { Shown = 40 };
  static const char *const Columns[] = {"idle", "   local live", "shared live", "peak pages", "remote frees", NULL};
  unsigned found = 0;
  heading(text, "threads", Columns);
  fhi_lock();
  for (const struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all) {
    if (!fhi_thread_has_heap(thread) || ++found > Shown)
      continue;
    fh_stats_thread_t one;
    fhi_stats_of_thread(&one, thread);
    thread_row(text, &one);
  }
  fhi_unlock();
  if (found > Shown) {
    fhi_text_add(text, "  and ");
    fhi_text_number(text, found - Shown);
    fhi_text_add(text, " more\n");
  }
  if (stats->waiting_heaps != 0) {
    fhi_text_add(text, "  ");
    fhi_text_number(text, stats->waiting_heaps);
    fhi_text_add(text, " heaps of ended threads wait for a thread; live in them:");
    fhi_text_bytes(text, stats->waiting.live_bytes);
    fhi_text_add(text, "\n");
  }
}

void fhi_stats_text(struct fhi_text *text) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  fh_stats_read(&stats);
  fhi_text_add(text, "freehold: statistics of process ");
  fhi_text_number(text, stats.pid);
  fhi_text_add(text, " (");
  fhi_text_add(text, program_invocation_short_name);
  fhi_text_add(text, ")\n");
  heaps(text, &stats);
  system_memory(text, &stats);
  threads(text, &stats);
}

FHI_EXPORT size_t fh_stats_format(char *buffer, size_t size, fh_stats_form_t form) {
  struct fhi_text text = {.buffer = buffer, .size = size == 0 ? 0 : size - 1};
  if (form == FH_STATS_JSON)
    fhi_stats_json(&text);
  else
    fhi_stats_text(&text);
  if (size != 0)
    buffer[text.length < size ? text.length : size - 1] = '\0';
  return text.length;
}

struct fhi_text fhi_stats_whole(void (*printer)(struct fhi_text *)) {
  for (size_t size = 1 << 15;; size *= 4) {
    struct fhi_text text = {.buffer = fhi_os_map(size), .size = size};
    if (!text.buffer)
      return text;
    printer(&text);
    if (text.length <= size)
      return text;
    fhi_text_drop(&text);
  }
}

void fhi_text_drop(struct fhi_text *text) { fhi_os_unmap(text->buffer, text->size); }

// One write, as far as the kernel goes, so that the texts of several processes do not mix.
FHI_EXPORT int fh_stats_print(int fd, fh_stats_form_t form) {
  struct fhi_text text = fhi_stats_whole(form == FH_STATS_JSON ? fhi_stats_json : fhi_stats_text);
  int error = ENOMEM;
  if (text.buffer) {
    error = fhi_os_write(fd, text.buffer, text.length);
    fhi_text_drop(&text);
  }
  if (error == 0)
    return 0;
  errno = error;
  return -1;
}
