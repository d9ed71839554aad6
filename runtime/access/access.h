// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// access.h - how a thread finds its own: one function set, one back end a build.
//
//   fhi_self()        the calling thread's record; never NULL. Before the thread has one of its own it is a record whose heads
//   are
//                     all null and whose heaps are fhi_no_heap, so that every fast path falls through to its slow path.
//   fhi_self_make(r)  gives the thread its record. r is memory that outlives the thread; a back end that has thread-local
//                     storage for the record itself ignores it.
//
// Back ends, chosen by FH_ACCESS: local_exec.h (executables: the record is at a constant displacement from the thread pointer),
// initial_exec.h (libraries: one pointer of static TLS), global_dynamic.h (libraries that must load where no static TLS is left).
#ifndef FHI_ACCESS_H
#define FHI_ACCESS_H

#include "../os/os.h"
#include "freehold/abi.h"

#define FH_LOCAL_EXEC 1
#define FH_INITIAL_EXEC 2
#define FH_GLOBAL_DYNAMIC 3
#ifndef FH_ACCESS
#define FH_ACCESS FH_LOCAL_EXEC
#endif

struct fhi_heap;
struct fhi_thread;

// What is a thread's own. The heads of the local heap come first: inlined code knows it by the name fh_heads or fh_heads_base.
struct fhi_self {
  void *heads[FH_CLASS_COUNT];
  struct fhi_heap *local;    // fhi_no_heap until the first local allocation
  struct fhi_heap *shared;   // fhi_no_heap until the first shared one
  struct fhi_thread *thread; // NULL until either
};

// The record of a thread that has none: read-only, so that a write to it is found at once.
extern FHI_HIDDEN const struct fhi_self fhi_no_self;
extern FHI_HIDDEN const struct fhi_heap fhi_no_heap;

#define FHI_EXPORT __attribute__((visibility("default")))

#if FH_ACCESS == FH_LOCAL_EXEC
#include "local_exec.h"
#elif FH_ACCESS == FH_INITIAL_EXEC
#include "initial_exec.h"
#elif FH_ACCESS == FH_GLOBAL_DYNAMIC
#include "global_dynamic.h"
#else
#error "FH_ACCESS: no such access model"
#endif

#endif
