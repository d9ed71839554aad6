// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// misuse.c - wrong frees: one line that names block, owner and this thread, then abort. Nothing is printed and then ignored.
#include "hard.h"

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

_Noreturn void fhi_stop_foreign_access(const void *p, const void *place, bool write) {
  struct fhi_line line;
  struct fhi_block block;
  bool known = fhi_block_at(p, &block);
  const struct fhi_segment *segment = fhi_in_segment(p) ? fhi_segment_of(p) : fhi_huge_of(p);
  pid_t owner = segment && segment->heap ? atomic_load(&segment->heap->tid) : 0;
  fhi_line_start(&line);
  fhi_line_text(&line, write ? "owner check: write at " : "owner check: read at ");
  fhi_line_address(&line, p);
  if (known) {
    fhi_line_text(&line, " (block ");
    write_block(&line, block.start, &block);
    fhi_line_text(&line, ")");
  }
  fhi_line_text(&line, " by thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_text(&line, " in code without the check, at instruction ");
  fhi_line_address(&line, place);
  fhi_line_text(&line, "; the memory belongs to ");
  fhi_line_text(&line, owner != 0 ? "thread " : "a thread that has ended");
  if (owner != 0)
    fhi_line_number(&line, (uint64_t)owner);
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

// ---- the hardened heap, which knows more ----

static void start_hard(struct fhi_line *line, const char *what, const struct fhi_hard_block *block, uint64_t word) {
  struct fhi_block common = {.segment = block->segment->segment, .start = block->start, .dead = block->page->dead};
  const char *site = fhi_site_of(&common);
  fhi_line_start(line);
  fhi_line_text(line, what);
  fhi_line_address(line, block->start);
  fhi_line_text(line, " (");
  fhi_line_number(line, fhi_word_size(word));
  fhi_line_text(line, " bytes");
  if (site) {
    fhi_line_text(line, ", allocated at ");
    fhi_line_text(line, site);
  }
  fhi_line_text(line, ") of thread ");
  fhi_line_number(line, (uint64_t)(common.dead ? common.dead : atomic_load(&block->segment->heap->tid)));
}

static _Noreturn void end_hard(struct fhi_line *line, const char *text) {
  fhi_line_text(line, text);
  fhi_line_number(line, (uint64_t)fhi_os_tid());
  fhi_line_stop(line);
}

static void write_freed(struct fhi_line *line, uint64_t word) {
  fhi_line_text(line, ", freed by thread ");
  fhi_line_number(line, (uint64_t)fhi_word_tid(word));
}

_Noreturn void fhi_stop_freed_twice(const struct fhi_hard_block *block, uint64_t word, const char *do_what) {
  struct fhi_line line;
  bool twice = do_what[0] == 'f';
  start_hard(&line, twice ? "double free: block " : "use after free: block ", block, word);
  write_freed(&line, word);
  if (!twice) {
    fhi_line_text(&line, ", given to ");
    fhi_line_text(&line, do_what);
  }
  end_hard(&line, twice ? ", freed again by thread " : " by thread ");
}

_Noreturn void fhi_stop_inside(const void *p, const struct fhi_hard_block *block, uint64_t word, const char *do_what) {
  struct fhi_line line;
  ptrdiff_t offset = (const char *)p - block->start;
  fhi_line_start(&line);
  fhi_line_text(&line, "invalid ");
  fhi_line_text(&line, do_what);
  fhi_line_text(&line, ": ");
  fhi_line_address(&line, p);
  fhi_line_text(&line, " is no block's beginning, it lies ");
  fhi_line_number(&line, (uint64_t)(offset < 0 ? -offset : offset));
  fhi_line_text(&line, offset < 0 ? " bytes before block " : " bytes behind the beginning of block ");
  fhi_line_address(&line, block->start);
  fhi_line_text(&line, " (");
  fhi_line_number(&line, fhi_word_size(word));
  fhi_line_text(&line, fhi_word_live(word) ? " bytes) of thread " : " bytes, free) of thread ");
  fhi_line_number(&line, (uint64_t)atomic_load(&block->segment->heap->tid));
  end_hard(&line, ", in thread ");
}

_Noreturn void fhi_stop_wrong_size(const struct fhi_hard_block *block, uint64_t word, size_t size) {
  struct fhi_line line;
  start_hard(&line, "wrong size: block ", block, word);
  fhi_line_text(&line, " is freed as one of ");
  fhi_line_number(&line, size);
  end_hard(&line, " bytes by thread ");
}

_Noreturn void fhi_stop_wrong_alignment(const struct fhi_hard_block *block, uint64_t word, size_t alignment) {
  struct fhi_line line;
  start_hard(&line, "wrong alignment: block ", block, word);
  fhi_line_text(&line, ", asked for with alignment ");
  fhi_line_number(&line, fhi_word_alignment(word));
  fhi_line_text(&line, ", is freed with ");
  fhi_line_number(&line, alignment);
  end_hard(&line, " by thread ");
}

_Noreturn void fhi_stop_overflow(const struct fhi_hard_block *block, uint64_t word, size_t at) {
  struct fhi_line line;
  start_hard(&line, "overflow: block ", block, word);
  fhi_line_text(&line, " was written behind its end, at offset ");
  fhi_line_number(&line, at);
  end_hard(&line, ", found in thread ");
}

_Noreturn void fhi_stop_written(const struct fhi_hard_block *block, uint64_t word, size_t at) {
  struct fhi_line line;
  start_hard(&line, "write after free: block ", block, word);
  write_freed(&line, word);
  fhi_line_text(&line, ", was written at offset ");
  fhi_line_number(&line, at);
  end_hard(&line, ", found in thread ");
}

_Noreturn void fhi_stop_access(const void *p, const struct fhi_hard_block *block, uint64_t word) {
  struct fhi_line line;
  ptrdiff_t offset = (const char *)p - block->start;
  start_hard(&line, fhi_word_live(word) ? "overflow: block " : "use after free: block ", block, word);
  if (!fhi_word_live(word))
    write_freed(&line, word);
  fhi_line_text(&line, offset < 0 ? ", accessed " : ", accessed at offset ");
  fhi_line_number(&line, (uint64_t)(offset < 0 ? -offset : offset));
  end_hard(&line, offset < 0 ? " bytes before its beginning by thread " : " by thread ");
}
