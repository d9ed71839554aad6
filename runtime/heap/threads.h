// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threads.h - threads that have heaps, and what becomes of the heaps of those that ended.
//
//   alive    holds its life line. Its key destructor flushes the local heads and puts the thread on the list of leaving ones:
//            other destructors may still run, so nothing is released.
//   gone     the life line is broken. The next thread that makes a heap, maps memory, or frees blocks of the gone one's heap,
//            reaps it: its shared heap becomes an orphan, which gives its segments to threads in need and which a later thread
//            adopts whole, remote frees and all; its local heap loses the memory of pages with live blocks and is adopted by a
//            later thread as well.
#ifndef FHI_THREADS_H
#define FHI_THREADS_H

#include "heap.h"

struct fhi_thread {
  struct fhi_self record; // back ends without thread-local storage for it
  fhi_lifeline_t line;
  struct fhi_heap *local, *shared; // NULL until made
  pid_t tid;
  bool alive;   // has a thread that was not reaped
  bool leaving; // its key destructor ran
  struct fhi_thread *next_all, *next_leaving, *next_free;
};

// The calling thread's heaps, made at need. Local: NULL if the thread must use shared blocks (or the process's other allocator).
FHI_HIDDEN struct fhi_heap *fhi_local_heap(void);
FHI_HIDDEN struct fhi_heap *fhi_shared_heap(void);
// May a free make the calling thread a shared heap? It may be the last that the thread does.
FHI_HIDDEN bool fhi_free_may_make_heap(void);
// A new level above the topmost one of a local heap; NULL: no memory.
FHI_HIDDEN struct fhi_heap *fhi_level_make(struct fhi_heap *heap);
// Sets the calling thread's push_from from what is known now.
FHI_HIDDEN void fhi_push_update(void);
// A local function is about to hand out a block that its size does not tell: this thread's inlined frees may not push any more.
FHI_HIDDEN void fhi_push_never(void);
// Takes over what threads that are gone left. The global lock is held.
FHI_HIDDEN void fhi_threads_reap(void);
// thread->local or thread->shared of whatever thread, which sets it without the lock. Acquire, paired with the release there: who
// sees the heap sees it made.
static inline struct fhi_heap *fhi_heap_of(struct fhi_heap *const *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
// Does its thread live, and has it a heap? The global lock is held.
static inline bool fhi_thread_has_heap(const struct fhi_thread *thread) {
  return thread->alive && (fhi_heap_of(&thread->local) || fhi_heap_of(&thread->shared));
}
// All heaps, linked by next_made, and all records, by next_all. The global lock is held.
FHI_HIDDEN struct fhi_heap *fhi_heaps_made(void);
FHI_HIDDEN struct fhi_thread *fhi_threads_all(void);
// Makes the key (the global lock is held), and the fork handlers (may allocate; once).
FHI_HIDDEN void fhi_threads_start(void);
FHI_HIDDEN void fhi_fork_handlers(void);

// ---- orphans.c: heaps that wait for a thread ----
// A heap whose thread is gone joins them; a new thread adopts one, NULL if there is none. The global lock is held.
FHI_HIDDEN void fhi_orphan_add(struct fhi_heap *heap);
FHI_HIDDEN struct fhi_heap *fhi_orphan_adopt(enum fhi_kind kind);
// Is it one of them? Then its state is consistent in a forked child. The global lock is held.
FHI_HIDDEN bool fhi_heap_is_parked(const struct fhi_heap *heap);
// Blocks were pushed on the list of a heap whose thread may be gone: takes back what waits there if it is.
FHI_HIDDEN void fhi_orphan_visit(struct fhi_heap *heap);
// The holder of the lock pushed blocks on the list of such a heap.
FHI_HIDDEN void fhi_orphans_may_wait(void);
// No orphan has a current page any more. The lock is held.
FHI_HIDDEN void fhi_orphans_flush_heads(void);
// Gives a shared heap a segment of an orphan in which there is a run of `length` free pages; that run, NULL if there is none.
FHI_HIDDEN struct fhi_page *fhi_orphan_run(struct fhi_heap *heap, unsigned length, unsigned alignment);
// Gives back their idle memory.
FHI_HIDDEN size_t fhi_orphans_trim(void);

// reap.c: a dead thread's local heap, ready to be adopted.
FHI_HIDDEN void fhi_local_heap_bury(struct fhi_heap *heap, pid_t tid);
// Test hook: how many more local heaps may be made; negative: no end.
extern FHI_HIDDEN _Atomic(int) fhi_test_heaps_left;

// start.c: whose malloc is the process's? Unknown: there was no memory to find out.
enum fhi_front { FHI_FRONT_UNKNOWN, FHI_FRONT_OURS, FHI_FRONT_OTHER };
FHI_HIDDEN enum fhi_front fhi_front(void);
extern FHI_HIDDEN _Atomic(int) fhi_front_known; // enum fhi_front; tests set it
// The process's allocator when it is not ours; NULL with ENOMEM while it is unknown whose it is.
FHI_HIDDEN void *fhi_other_malloc(size_t size);
FHI_HIDDEN void *fhi_other_calloc(size_t count, size_t size);
FHI_HIDDEN void *fhi_other_aligned(size_t alignment, size_t size);
// A block that is not ours: the process's other allocator, or the next one behind our override. Stops if there is none.
FHI_HIDDEN void fhi_foreign_free(void *p);
FHI_HIDDEN void *fhi_foreign_realloc(void *p, size_t size);
FHI_HIDDEN size_t fhi_foreign_usable_size(const void *p);

#endif
