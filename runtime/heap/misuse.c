// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// misuse.c - wrong frees: one line that names block, owner and this thread, then abort. Nothing is printed and then ignored.
#include "heap.h"

static void write_block(struct fhi_line *line, const void *p, const struct fhi_block *block) {
  const char *site = fhi_site_of(block);
  fhi_line_address(line, p);
  if (block->size == 0)
    return;
  fhi_line_text(line, " (");
  fhi_line_number(line, block->size);
  fhi_line_text(line, " bytes");
  if (site) {
    fhi_line_text(line, ", allocated at ");
    fhi_line_text(line, site);
  }
  fhi_line_text(line, ")");
}

_Noreturn void fhi_stop_wrong_thread(const void *p, const struct fhi_block *block) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "wrong thread: block ");
  write_block(&line, p, block);
  if (!block->segment) {
    fhi_line_text(&line, " belongs to a thread that has ended");
  } else {
    fhi_line_text(&line, " belongs to thread ");
    fhi_line_number(&line, (uint64_t)(block->dead ? block->dead : atomic_load(&block->segment->heap->tid)));
  }
  fhi_line_text(&line, ", freed by thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_stop(&line);
}

_Noreturn void fhi_stop_double_free(const void *p) {
  struct fhi_line line;
  struct fhi_block block;
  bool known = fhi_block_at(p, &block);
  fhi_line_start(&line);
  fhi_line_text(&line, known && block.start != p ? "invalid free: " : "double free: block ");
  fhi_line_address(&line, p);
  fhi_line_text(&line, known && block.start != p ? " is no block's beginning" : " is free already");
  fhi_line_text(&line, ", freed by thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_stop(&line);
}

_Noreturn void fhi_stop_invalid(const void *p, const char *what) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "invalid ");
  fhi_line_text(&line, what);
  fhi_line_text(&line, ": ");
  fhi_line_address(&line, p);
  fhi_line_text(&line, " is no block of any allocator known here, in thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_stop(&line);
}
