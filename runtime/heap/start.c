// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// start.c - what happens once: the options, the fork handlers, the statistics at the end, and the question whose malloc the
// process's malloc is.
//
// If something stands in front of us (a preloaded allocator, valgrind, a sanitizer, a malloc of the program's own, a late dlopen
// of this library), local functions hand out that allocator's blocks: it alone knows how to free them.
#include "../os/options.h"
#include "hard.h"
#include "stats.h"
#include "threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

_Atomic(int) fhi_front_known;

// The process's functions by name. Weak, so that the runtime alone never pulls an allocator, ours or libc's, into a link;
// volatile pointers, so that the compiler cannot see through them.
#pragma weak malloc
#pragma weak calloc
#pragma weak realloc
#pragma weak aligned_alloc
#pragma weak posix_memalign
#pragma weak memalign
#pragma weak free
#pragma weak malloc_usable_size
#pragma weak dlsym
typedef void *malloc_function(size_t);
typedef void free_function(void *);
typedef void *realloc_function(void *, size_t);
typedef size_t usable_function(void *);

// Are we the runtime of this process? A library's copy (libfreehold.so) is not where the executable brings and exports its own:
// then only operator new and delete call us, since a C program has none to export; they pass on to malloc, and we keep quiet.
extern const char fhi_layout_here FHI_HIDDEN;

static bool is_in_use(void) {
  const char *volatile in_use = &fh_layout_3;
  const char *volatile here = &fhi_layout_here;
  return in_use == here;
}

enum fhi_front fhi_front(void) {
  int known = atomic_load_explicit(&fhi_front_known, memory_order_relaxed);
  if (FHI_LIKELY(known != FHI_FRONT_UNKNOWN))
    return (enum fhi_front)known;
  malloc_function *volatile process_malloc = malloc;
  free_function *volatile process_free = free;
  enum fhi_front front = FHI_FRONT_OURS;
  bool other_copy = false;
  if (process_malloc && process_free) {
    void *p = process_malloc(48);
    if (!p)
      return FHI_FRONT_UNKNOWN; // no memory now: ask again later
    struct fhi_block block;
    if (!fhi_block_at(p, &block) || block.start != p) // not at its start: somebody's header lies before it
      front = FHI_FRONT_OTHER;
    other_copy = fhi_in_range(p); // in our ranges, but not ours
    process_free(p);
  }
  int unknown = FHI_FRONT_UNKNOWN;
  if (atomic_compare_exchange_strong(&fhi_front_known, &unknown, front)) {
    // Whoever only uses a library that was built with Freehold has not chosen it; the statistics tell who asks. A second copy of
    // the runtime is a mistake of the link's.
    if (front == FHI_FRONT_OTHER && is_in_use() &&
        (other_copy || fhi_options.stats != FHI_STATS_NONE || !fhi_os_only_a_library_asked()))
      fhi_say("another malloc stands in front of Freehold's: local functions hand out its blocks");
    return front;
  }
  return (enum fhi_front)unknown;
}

// While it is not known whose it is there was no memory even to ask.
static bool no_other(void) {
  if (FHI_LIKELY(fhi_front() == FHI_FRONT_OTHER))
    return false;
  errno = ENOMEM;
  return true;
}

void *fhi_other_malloc(size_t size) {
  malloc_function *volatile process_malloc = malloc;
  return no_other() ? NULL : process_malloc(size);
}

void *fhi_other_calloc(size_t count, size_t size) {
  void *(*volatile process_calloc)(size_t, size_t) = calloc;
  return no_other() ? NULL : process_calloc(count, size);
}

// The function behind our override of the same name; NULL in static programs.
static void *next_function(const char *name) {
  void *(*volatile look_up)(void *, const char *) = dlsym;
  return look_up ? look_up(RTLD_NEXT, name) : NULL;
}

// The allocator in front may lack some of the family, then the process's function is our own override's again.
extern void *fhi_override_aligned_alloc(size_t, size_t) __attribute__((weak, visibility("hidden")));
extern int fhi_override_posix_memalign(void **, size_t, size_t) __attribute__((weak, visibility("hidden")));
extern size_t fhi_override_usable_size(void *) __attribute__((weak, visibility("hidden")));

void *fhi_other_aligned(size_t alignment, size_t size) {
  int (*volatile process_memalign)(void **, size_t, size_t) = posix_memalign;
  void *(*volatile process_aligned)(size_t, size_t) = aligned_alloc;
  if (no_other())
    return NULL;
  if (process_memalign && process_memalign != fhi_override_posix_memalign) {
    void *p = NULL;
    int error = process_memalign(&p, alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
    if (error != 0)
      errno = error;
    return error == 0 ? p : NULL;
  }
  if (process_aligned == fhi_override_aligned_alloc)
    process_aligned = next_function("aligned_alloc");
  if (!process_aligned) {
    errno = ENOMEM;
    return NULL;
  }
  return process_aligned(alignment, size);
}

// Are the process's free and realloc our override's? While it is unknown, the others tell.
static bool is_override(void) {
  usable_function *volatile process_usable = malloc_usable_size;
  int (*volatile process_memalign)(void **, size_t, size_t) = posix_memalign;
  enum fhi_front front = fhi_front();
  return front == FHI_FRONT_OURS || (front == FHI_FRONT_UNKNOWN && process_usable && process_usable == fhi_override_usable_size &&
                                     process_memalign == fhi_override_posix_memalign);
}

void fhi_foreign_free(void *p) {
  free_function *volatile function = free;
  if (is_override())
    function = fhi_hardened() ? NULL : (free_function *)next_function("free");
  if (!function)
    fhi_stop_invalid(p, "free");
  function(p);
}

void *fhi_foreign_realloc(void *p, size_t size) {
  realloc_function *volatile function = realloc;
  if (is_override())
    function = fhi_hardened() ? NULL : (realloc_function *)next_function("realloc");
  if (!function)
    fhi_stop_invalid(p, "realloc");
  return function(p, size);
}

size_t fhi_foreign_usable_size(const void *p) {
  usable_function *volatile function = malloc_usable_size;
  if (fhi_front() == FHI_FRONT_OURS || function == fhi_override_usable_size)
    function = fhi_hardened() ? NULL : (usable_function *)next_function("malloc_usable_size");
  if (!function)
    fhi_stop_invalid(p, "malloc_usable_size");
  return function((void *)(uintptr_t)p);
}

// Fork handlers that were registered first prepare last. Ours take the global lock: a handler that prepares after them, and waits
// for a thread, or for a lock that is held while one is made or ends, would wait for ever. So they come before all
// constructors: in executables by the array that runs before those, for libfreehold.so by -z initfirst. (Not with musl, which
// knows neither, nor with what others have in the same places.)
#if FH_ACCESS == FH_LOCAL_EXEC && defined(__GLIBC__) && !defined(FH_SANITIZED)
__attribute__((section(".preinit_array"), used)) static void (*const BeforeAll)(void) = fhi_fork_handlers;
static void fork_handlers(void) {}
#else
static void fork_handlers(void) { fhi_fork_handlers(); }
#endif

__attribute__((constructor(101))) static void start(int count, char **arguments, char **environment) {
#ifdef __GLIBC__
  if (!environ)
    environ = environment; // by -z initfirst libc's own constructor is still to come, and sets it to the same
#else
  (void)environment;
#endif
  (void)count, (void)arguments;
  if (!is_in_use())
    return;
  fhi_options_read(environ);
  fork_handlers();
  fhi_front();
  if (fhi_hardened() && fhi_guard())
    fhi_guard_handler();
  if (fhi_options.stats != FHI_STATS_NONE)
    fhi_os_keep_stderr();
}

// Among the last that run when the process exits; _exit and signals end it without.
__attribute__((destructor(101))) static void finish(void) {
  if (is_in_use() && fhi_options.stats != FHI_STATS_NONE)
    fh_stats_print(fhi_os_kept_stderr(), fhi_options.stats == FHI_STATS_JSON ? FH_STATS_JSON : FH_STATS_TEXT);
}
