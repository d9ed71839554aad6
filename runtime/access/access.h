// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// access.h - how a thread finds its own: one function set, one back end a build.
//
//   fhi_self()              the calling thread's record; never NULL. Before the thread has one of its own it is a record whose
//                           heads are all null and whose heaps are fhi_no_heap, so that every fast path falls through to its slow
//                           path. Async-signal-safe, takes no lock.
//   fhi_self_make(r, line)  gives the thread its record; line is the life line that it holds. r is memory that outlives the
//                           thread; a back end that has thread-local storage for the record itself ignores it. false: no memory
//                           for it.
//   fhi_self_settle()       the thread has its first heap: what may allocate is done now.
//   fhi_self_drop(r)        the thread of this record is gone (or, in a forked child, never came along). Must come before another
//                           thread gets r, or its life line is held anew. The global lock is held for make and drop.
//
// Back ends, chosen by FH_ACCESS: local_exec.h (executables: the record is at a constant displacement from the thread pointer),
// flexible.h (libfreehold.so: a thread-local pointer, as initial-exec if it can be had), native.h (the same pointer in four ELF
// models), key.h (pthread_getspecific), table.h (by thread id).
#ifndef FHI_ACCESS_H
#define FHI_ACCESS_H

// Within the runtime the public names are the functions.
#define FREEHOLD_NO_INLINE 1

#include "../os/os.h"
#include "freehold/abi.h"

#define FH_LOCAL_EXEC 1
#define FH_INITIAL_EXEC 2
#define FH_LOCAL_DYNAMIC 3
#define FH_GLOBAL_DYNAMIC 4
#define FH_TLSDESC 5
#define FH_KEY 6
#define FH_TABLE 7
#define FH_FLEXIBLE 8
#ifndef FH_ACCESS
#define FH_ACCESS FH_LOCAL_EXEC
#endif

struct fhi_heap;
struct fhi_thread;

// What is a thread's own. The heads of the local heap and push_from come first: inlined code knows it by the name fh_heads or
// fh_heads_base.
struct fhi_self {
  void *zero; // see abi.h
  void *heads[FH_CLASS_COUNT];
  uintptr_t push_from;         // see abi.h; set by fhi_push_update alone
  bool push_never;             // a local function handed out a block that its size does not tell
  struct fhi_heap *local;      // fhi_no_heap until the first local allocation
  struct fhi_heap *shared;     // fhi_no_heap until the first shared one
  const struct fhi_heap *home; // whose blocks free() puts into their pages: shared's, or nobody's (fhi_no_heap) while it keeps
  struct fhi_thread *thread;   // NULL until either
#if FH_ACCESS == FH_KEY || FH_ACCESS == FH_TABLE
  const fhi_lifeline_t *line;
  _Atomic(uintptr_t) owner; // pthread_self() of its thread; 0: nobody's
#endif
};

// The record of a thread that has none: read-only, so that a write to it is found at once.
extern FHI_HIDDEN const struct fhi_self fhi_no_self;
extern FHI_HIDDEN const struct fhi_heap fhi_no_heap;

_Static_assert(offsetof(struct fhi_self, heads) == offsetof(struct fh_heap, heads), "inlined code knows where the heads are");
_Static_assert(offsetof(struct fhi_self, push_from) == FH_PUSH_OFFSET, "inlined code knows where push_from is");

#define FHI_EXPORT __attribute__((visibility("default")))

#if FH_ACCESS == FH_LOCAL_EXEC
#include "local_exec.h"
#elif FH_ACCESS >= FH_INITIAL_EXEC && FH_ACCESS <= FH_TLSDESC
#include "native.h"
#elif FH_ACCESS == FH_KEY
#include "key.h"
#elif FH_ACCESS == FH_TABLE
#include "table.h"
#elif FH_ACCESS == FH_FLEXIBLE
#include "flexible.h"
#else
#error "FH_ACCESS: no such access model"
#endif

// What tells threads apart without a load of an address first: the thread pointer itself.
static inline const void *fhi_thread_pointer(void) { return __builtin_thread_pointer(); }

// What fast paths compare with, and how they then find the record.
#ifndef FHI_MAY_LACK_FAST_PATHS
#define FHI_FAST_SMALL FH_SMALL_MAX
#define FHI_FAST_PAGES ((uintptr_t)2 << (FH_RANGE_BITS - FHI_PAGE_SHIFT))
#define FHI_FAST_LOCAL_PAGES ((uintptr_t)1 << (FH_RANGE_BITS - FHI_PAGE_SHIFT))
static inline struct fhi_self *fhi_self_fast(void) { return fhi_self(); }
#endif

#endif
