// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// operators.c - operator new and delete of the process, all but the nothrow forms of new (nothrow.cpp: they must catch).
//
// A function is replaced by a program one by one, and what the standard defines in terms of it must follow: the array forms call
// the plain ones, the sized forms of delete the unsized ones. So every definition here is weak (one of the program's own wins in
// a static link as in a dynamic one), and calls between them go through the symbol. They form an archive member of their own
// that does not need override.c: where malloc is not ours, they use the process's malloc and free, as libstdc++'s do.
//
// Compiled with -fexceptions: bad_alloc leaves through these frames.
#include "api.h"
#include "cxx.h"
#include "hardened.h"
#include "threads.h"

#define OPERATOR FHI_EXPORT __attribute__((weak))
// An alignment or std::nothrow: both are one word.
typedef size_t alignment_t;
typedef const void *nothrow_t;

OPERATOR void *_Znwm(size_t size);
OPERATOR void *_ZnwmSt11align_val_t(size_t size, alignment_t alignment);
OPERATOR void _ZdlPv(void *p);
OPERATOR void _ZdlPvSt11align_val_t(void *p, alignment_t alignment);

// False until it is known: then the slow paths ask.
static inline bool malloc_is_ours(void) {
  return FHI_LIKELY(atomic_load_explicit(&fhi_front_known, memory_order_relaxed) == FHI_FRONT_OURS);
}

static void *try_once(size_t alignment, size_t size) {
  bool other = fhi_front() != FHI_FRONT_OURS;
  if (alignment <= 16)
    return other ? fhi_other_malloc(size) : fhi_shared_malloc(size);
  return other ? fhi_other_aligned(alignment, size) : fhi_shared_aligned(alignment, size);
}

// Asks the new handler for memory until there is some, and throws where nobody can be asked.
static FHI_NOINLINE void *insist(size_t alignment, size_t size) {
  for (;;) {
    void *p = try_once(alignment, size);
    if (FHI_LIKELY(p != NULL))
      return p;
    if (!fhi_new_handler_ran())
      fhi_throw_bad_alloc();
  }
}

void *_Znwm(size_t size) {
  if (malloc_is_ours() && FHI_LIKELY(size - 1 < FHI_FAST_SMALL)) {
    struct fhi_heap *heap = fhi_self_fast()->shared;
    void *p = fhi_pop_of(heap, heap->heads, fhi_small_class(size - 1));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return insist(1, size);
}

void *_ZnwmSt11align_val_t(size_t size, alignment_t alignment) {
  bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return insist(power_of_two ? alignment : 1, power_of_two ? size : SIZE_MAX); // what no allocator grants ends in bad_alloc
}

OPERATOR void *_Znam(size_t size) { return _Znwm(size); }

OPERATOR void *_ZnamSt11align_val_t(size_t size, alignment_t alignment) { return _ZnwmSt11align_val_t(size, alignment); }

static FHI_NOINLINE void free_elsewhere(void *p) {
  if (p && fhi_front() != FHI_FRONT_OURS)
    fhi_foreign_free(p);
  else
    fhi_free(p);
}

static inline void release(void *p) {
  if (malloc_is_ours())
    fhi_free_any(p);
  else
    free_elsewhere(p);
}

void _ZdlPv(void *p) { release(p); }

void _ZdlPvSt11align_val_t(void *p, alignment_t alignment) {
  (void)alignment;
  release(p);
}

OPERATOR void _ZdaPv(void *p) { _ZdlPv(p); }

OPERATOR void _ZdaPvSt11align_val_t(void *p, alignment_t alignment) { _ZdlPvSt11align_val_t(p, alignment); }

// A sized delete is the unsized one, which a program may have replaced. Where it has not, and malloc is ours, the size goes with
// the block: the hardened heap looks at it. One flag for both questions, answered once: less than a call through the symbol.
static bool SizesServe;
void fhi_delete(void *p) __attribute__((alias("_ZdlPv"))) FHI_HIDDEN;
void fhi_delete_array(void *p) __attribute__((alias("_ZdaPv"))) FHI_HIDDEN;
void fhi_delete_aligned(void *p, alignment_t alignment) __attribute__((alias("_ZdlPvSt11align_val_t"))) FHI_HIDDEN;
void fhi_delete_array_aligned(void *p, alignment_t alignment) __attribute__((alias("_ZdaPvSt11align_val_t"))) FHI_HIDDEN;

// After the runtime's own start, which asks whose malloc the process's is.
__attribute__((constructor(102))) static void look_at_delete(void) {
  void (*volatile plain[])(void *) = {_ZdlPv, _ZdaPv, fhi_delete, fhi_delete_array};
  void (*volatile aligned[])(void *, alignment_t) = {_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t, fhi_delete_aligned,
                                                     fhi_delete_array_aligned};
  SizesServe =
      malloc_is_ours() && plain[0] == plain[2] && plain[1] == plain[3] && aligned[0] == aligned[2] && aligned[1] == aligned[3];
}

OPERATOR void _ZdlPvm(void *p, size_t size) {
  if (FHI_LIKELY(SizesServe))
    fhi_free_sized_any(p, size);
  else
    _ZdlPv(p);
}

OPERATOR void _ZdaPvm(void *p, size_t size) {
  if (FHI_LIKELY(SizesServe))
    fhi_free_sized_any(p, size);
  else
    _ZdaPv(p);
}

OPERATOR void _ZdlPvmSt11align_val_t(void *p, size_t size, alignment_t alignment) {
  if (FHI_LIKELY(SizesServe)) {
    fhi_check_alignment(p, alignment);
    fhi_free_sized_any(p, size);
  } else {
    _ZdlPvSt11align_val_t(p, alignment);
  }
}

OPERATOR void _ZdaPvmSt11align_val_t(void *p, size_t size, alignment_t alignment) {
  if (FHI_LIKELY(SizesServe)) {
    fhi_check_alignment(p, alignment);
    fhi_free_sized_any(p, size);
  } else {
    _ZdaPvSt11align_val_t(p, alignment);
  }
}

OPERATOR void _ZdlPvRKSt9nothrow_t(void *p, nothrow_t nothrow) {
  (void)nothrow;
  _ZdlPv(p);
}

OPERATOR void _ZdaPvRKSt9nothrow_t(void *p, nothrow_t nothrow) {
  (void)nothrow;
  _ZdaPv(p);
}

OPERATOR void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, alignment_t alignment, nothrow_t nothrow) {
  (void)nothrow;
  _ZdlPvSt11align_val_t(p, alignment);
}

OPERATOR void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, alignment_t alignment, nothrow_t nothrow) {
  (void)nothrow;
  _ZdaPvSt11align_val_t(p, alignment);
}
