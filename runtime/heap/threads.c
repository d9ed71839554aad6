// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threads.c - a thread's record and heaps: made at the first need, handed on when the thread is gone.
// Models: tests/model/lifeline.pml, tests/model/reuse.pml.
//
// What glibc (2.36) runs on a thread that ends, in its order. All but the kernel may free, and so make the thread its first heap.
// A thread that is cancelled, or calls pthread_exit, goes through the same.
//
//   thread_local destructors     any code; nothing has changed for it.
//   key destructors              any code, in four rounds. Ours, `leave`, runs in each that finds a value in our key. Code after
//                                it, of that round or a later one, still has the thread's heaps: they are LEAVING. A heap that is
//                                first made after our turn in the fourth round is *late*: no destructor marks it.
//   blocks of keys from 32 on    freed by libc.
//   __libc_thread_freeres        frees buffers of the resolver, RPC, dlerror, strerror and strsignal: the thread's own blocks. It
//                                shuts libc's malloc for the thread, not ours.
//   exit(0) in the last thread   any code, for as long as it likes: atexit's, destructors of libraries. It may make threads and
//                                wait for them. Nobody gets the stack afterwards. (Main's pthread_exit may lead here too.)
//   __nptl_free_tcb, detached    frees priority data; then, *under the stack cache's lock*, the TLS vectors of stacks that are
//                                unmapped to make room, blocks of any thread's heap, or its own if the program gave its stack.
//   the kernel                   breaks the life line, and then clears the id: only now the stack may be used again.
//
// A thread that ends by a bare system call has the last line alone. pthread_join frees the same on the thread that calls it.
// pthread_create makes TLS anew on a stack of the cache, but the thread pointer, and the values of keys, stay what they were. In
// a forked child the stacks of the others are in the cache, with their values cleared. So:
//
//   - The value of our key may be a record of another thread, dead or alive: it is believed only where it is the caller's own.
//     (The same in access/key.h. What runtime/globals keeps behind its key it asks a thread-local variable about.)
//   - A late heap ends by scan_all.
//   - Where storing the value would allocate, a free makes no heap: late, nobody would free what was allocated.
//   - Under the stack cache's lock nobody may wait for a thread, make one, or take a lock that is held while somebody does.
//     free takes two: the global one, under which libc is asked for mutexes, keys, mappings and system calls alone; a
//     depot's, which nobody waits for. Fork holds both, so ours are the last handlers that prepare for it (start.c). dlsym,
//     which takes the loader's lock, is for blocks of another malloc's: TLS vectors come from the process's.
//   - Nothing here is a place where a thread can be cancelled: it may hold the lock.
#include "threads.h"
#include "../os/options.h"
#include "hardened.h"
#include "keys.h"

_Atomic(int) fhi_test_heaps_left = -1;

// All under the global lock.
static struct fhi_thread *All, *Leaving, *Unused;
static struct fhi_heap *Made;
static unsigned AllCount, MadeSinceScan;
static pthread_key_t Key;
static bool KeyMade;
static char *MetaNext, *MetaEnd;

enum {
  MetaChunk = 1 << 18,
  PurgeAfter = 1 << 20, // so many bytes of a thread's that others had freed when it ended
};

// Memory for threads and heaps: never given back, as others may hold the address of a heap for ever.
static void *meta_alloc(size_t size) {
  size = (size + 63) & ~(size_t)63;
  if ((size_t)(MetaEnd - MetaNext) < size) {
    char *chunk = fhi_os_map(MetaChunk);
    if (!chunk)
      return NULL;
    MetaNext = chunk;
    MetaEnd = chunk + MetaChunk;
  }
  void *p = MetaNext;
  MetaNext += size;
  return p;
}

static struct fhi_heap *heap_new(enum fhi_kind kind) {
  struct fhi_heap *heap = meta_alloc(sizeof *heap);
  if (heap) {
    heap->kind = (uint8_t)kind;
    heap->root = heap;
    heap->idle.trimmed = atomic_load_explicit(&fhi_trim_asked, memory_order_relaxed); // it has nothing yet
    heap->next_made = Made;
    Made = heap;
  }
  return heap;
}

struct fhi_heap *fhi_heaps_made(void) { return Made; }

struct fhi_thread *fhi_threads_all(void) { return All; }

static void set_tid(struct fhi_heap *heap, pid_t tid) {
  if (heap)
    atomic_store_explicit(&heap->tid, tid, memory_order_relaxed);
}

void fhi_push_update(void) {
  struct fhi_self *self = fhi_self();
  if (self->thread)
    self->push_from = self->local == &fhi_no_heap || self->local->late || self->local->below || self->push_never || fhi_hardened()
                          ? UINTPTR_MAX
                          : FH_LOCAL_BASE;
}

void fhi_push_never(void) {
  struct fhi_self *self = fhi_self();
  // Without a record there is no block of this runtime's yet, and where another malloc stands in front there never is a local
  // heap.
  if (self->thread && !self->push_never) {
    self->push_never = true;
    fhi_push_update();
  }
}

// The key destructor. Destructors of other keys, and of thread_local objects before, may still allocate and free: no heap is
// given up here. The local heads are flushed, since nobody can read them once the thread's storage is gone.
static void leave(void *argument) {
  struct fhi_thread *thread = argument;
  if (thread != fhi_self()->thread)
    return; // left on this stack by another
  if (thread->local) {
    for (struct fhi_heap *level = fhi_self()->local; level; level = level->below) {
      level->late = true;
      fhi_heads_flush(level, true);
      fhi_heap_disown(level);
    }
    fhi_push_update();
  }
  fhi_lifeline_ends(&thread->line);
  if (thread->leaving)
    return;
  if (thread->shared) {
    fhi_keep_stop(thread->shared);
    atomic_store_explicit(&thread->shared->state, FHI_LEAVING, memory_order_relaxed);
    if (thread->shared->keep.has)
      fhi_heads_flush(thread->shared, true);
    fhi_outboxes_flush(thread->shared, true);
    // Else it waits for the next thread that takes the slow path, which there need not be.
    if (fhi_remote_drain(thread->shared, SIZE_MAX) > PurgeAfter || fhi_hardened())
      fhi_heap_purge(thread->shared);
  }
  fhi_lock();
  thread->leaving = true;
  thread->next_leaving = Leaving;
  Leaving = thread;
  fhi_lifeline_ends(&thread->line);
  fhi_unlock();
}

// Has it ended? Then its record is nobody's, before the life line is touched.
static bool gone(struct fhi_thread *thread) {
  if (fhi_lifeline_held(&thread->line))
    return false;
  fhi_self_drop(&thread->record);
  return fhi_lifeline_broken(&thread->line);
}

static void reap(struct fhi_thread *thread) {
  uint32_t rights = fhi_keys_open();
  if (thread->shared)
    fhi_orphan_add(thread->shared);
  if (thread->local) {
    fhi_local_heap_bury(thread->local, thread->tid);
    for (struct fhi_heap *level = thread->local->above; level; level = level->above) {
      fhi_local_heap_bury(level, thread->tid);
      fhi_heap_trim(level);
    }
    fhi_orphan_add(thread->local);
  }
  thread->local = thread->shared = NULL;
  thread->alive = false;
  thread->next_free = Unused;
  Unused = thread;
  fhi_keys_close(rights);
}

void fhi_threads_reap(void) {
  struct fhi_thread *list = Leaving, *next;
  Leaving = NULL;
  for (struct fhi_thread *thread = list; thread; thread = next) {
    next = thread->next_leaving;
    if (!thread->alive)
      continue;
    if (gone(thread)) {
      reap(thread);
    } else {
      thread->next_leaving = Leaving;
      Leaving = thread;
    }
  }
}

// Threads that made their first heap after our key's last destructor never marked themselves: look at all, once for as many new
// threads as there are records.
static void scan_all(void) {
  if (++MadeSinceScan <= AllCount / 2 + 8)
    return;
  MadeSinceScan = 0;
  for (struct fhi_thread *thread = All; thread; thread = thread->next_all)
    if (thread->alive && !thread->leaving && gone(thread))
      reap(thread);
}

// The calling thread's record, made if it has none. NULL: no memory.
static struct fhi_thread *attach(void) {
  struct fhi_thread *thread = fhi_self()->thread;
  if (thread)
    return thread;
  fhi_lock();
  fhi_threads_start();
  fhi_threads_reap();
  scan_all();
  thread = Unused;
  if (thread) {
    Unused = thread->next_free;
  } else if ((thread = meta_alloc(sizeof *thread)) != NULL) {
    thread->next_all = All;
    All = thread;
    ++AllCount;
  }
  if (thread) {
    thread->alive = true;
    thread->leaving = false;
    thread->tid = fhi_os_tid();
    fhi_lifeline_hold(&thread->line);
    if (fhi_self_make(&thread->record, &thread->line)) {
      fhi_self()->thread = thread;
      fhi_keys_enter(NULL);
    } else {
      fhi_lifeline_release(&thread->line);
      thread->alive = false;
      thread->next_free = Unused;
      Unused = thread;
      thread = NULL;
    }
  }
  fhi_unlock();
  return thread;
}

bool fhi_free_may_make_heap(void) { return Key < FHI_KEYS_WITHOUT_MEMORY; }

// pthread_setspecific may allocate: only once the thread has the heap it was after.
static void register_exit(struct fhi_thread *thread) {
  if (thread->leaving)
    return;
  fhi_self_settle();
  if (KeyMade && pthread_getspecific(Key) != thread)
    pthread_setspecific(Key, thread);
}

static struct fhi_heap *adopt_or_make(enum fhi_kind kind, const struct fhi_thread *thread) {
  fhi_lock();
  struct fhi_heap *heap = fhi_orphan_adopt(kind);
  if (!heap)
    heap = heap_new(kind);
  if (heap)
    atomic_store_explicit(&heap->state, thread->leaving ? FHI_LEAVING : FHI_OWNED, memory_order_relaxed);
  fhi_unlock();
  return heap;
}

struct fhi_heap *fhi_shared_heap(void) {
  struct fhi_self *self = fhi_self();
  if (FHI_LIKELY(self->shared != &fhi_no_heap))
    return self->shared;
  struct fhi_thread *thread = attach();
  struct fhi_heap *heap = thread ? adopt_or_make(FHI_SHARED, thread) : NULL;
  if (!heap)
    return NULL;
  heap->live_heads = heap->heads;
  heap->fast = heap;
  set_tid(heap, thread->tid);
  __atomic_store_n(&thread->shared, heap, __ATOMIC_RELEASE); // pairs with fhi_heap_of
  fhi_self()->shared = heap;
  fhi_self()->home = heap;
  register_exit(thread);
  return heap;
}

static bool one_more_heap(void) {
  int left = atomic_load_explicit(&fhi_test_heaps_left, memory_order_relaxed);
  while (left > 0 && !atomic_compare_exchange_weak_explicit(&fhi_test_heaps_left, &left, left - 1, memory_order_relaxed,
                                                            memory_order_relaxed))
    ;
  return left != 0;
}

static FHI_NOINLINE struct fhi_heap *make_local_heap(void) {
  if (fhi_front() != FHI_FRONT_OURS || fhi_options.off)
    return NULL;
  struct fhi_thread *thread = attach();
  if (!thread || !one_more_heap())
    return NULL;
  struct fhi_heap *heap = adopt_or_make(FHI_LOCAL, thread);
  if (!heap)
    return NULL;
  heap->live_heads = fhi_self()->heads;
  heap->fast = thread->leaving ? NULL : fhi_thread_pointer();
  heap->late = thread->leaving;
  set_tid(heap, thread->tid);
  __atomic_store_n(&thread->local, heap, __ATOMIC_RELEASE);
  fhi_self()->local = heap;
  if (fhi_hardened())
    fhi_keys_join(heap);
  else
    fhi_keys_enter(heap);
  fhi_push_update();
  register_exit(thread);
  return heap;
}

struct fhi_heap *fhi_local_heap(void) {
  struct fhi_self *self = fhi_self();
  return FHI_LIKELY(self->local != &fhi_no_heap) ? self->local : make_local_heap();
}

struct fhi_heap *fhi_level_make(struct fhi_heap *heap) {
  fhi_lock();
  struct fhi_heap *level = heap_new(FHI_LOCAL);
  if (level) {
    level->root = heap->root;
    level->below = heap;
    heap->above = level; // others walk the levels under the lock
  }
  fhi_unlock();
  return level;
}

// What threads that are gone left becomes orphans, which the child can use.
static void fork_prepare(void) {
  fhi_lock();
  fhi_threads_reap();
  fhi_depot_hold(true);
}

static void fork_parent(void) {
  fhi_depot_hold(false);
  fhi_unlock();
}

// Only the forking thread is left, and it holds the lock. The heaps of the others may have been in the middle of anything: their
// shared heaps are never touched again (their blocks stay valid, frees of them pile up on the remote lists), their local ones are
// dropped whole.
static void fork_child(void) {
  struct fhi_thread *mine = fhi_self()->thread;
  fhi_depot_hold(false);
  fhi_keep_forked(mine ? mine->shared : NULL);
  Leaving = NULL;
  if (mine) {
    mine->tid = fhi_os_tid();
    fhi_lifeline_hold(&mine->line);
    for (struct fhi_heap *level = mine->local; level; level = level->above)
      set_tid(level, mine->tid);
    set_tid(mine->shared, mine->tid);
    if (mine->leaving) {
      mine->next_leaving = NULL;
      Leaving = mine;
    }
  }
  for (struct fhi_thread *thread = All; thread; thread = thread->next_all) {
    if (thread == mine || !thread->alive)
      continue;
    fhi_self_drop(&thread->record);
    if (thread->shared) {
      atomic_store_explicit(&thread->shared->state, FHI_LOST, memory_order_relaxed);
      fhi_idle_lost(thread->shared);
    }
    for (struct fhi_heap *level = thread->local; level; level = level->above)
      fhi_idle_lost(level);
    thread->alive = false;
    thread->local = thread->shared = NULL;
    thread->next_free = Unused;
    Unused = thread;
  }
  fhi_slots_drop_local(mine ? mine->local : NULL);
  fhi_unlock();
}

void fhi_threads_start(void) {
  if (!KeyMade)
    KeyMade = pthread_key_create(&Key, leave) == 0;
}

void fhi_fork_handlers(void) { pthread_atfork(fork_prepare, fork_parent, fork_child); }
