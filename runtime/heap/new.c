// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// new.c - operator new on the local heap, for rewritten C++. Compiled with -fexceptions: bad_alloc leaves through these frames.
// Every executable of freehold-cc has it, C ones too: a rewritten C++ library must find it where the heap is.
#define FHI_CXX_WEAK
#include "api.h"
#include "cxx.h"

#include "freehold/heap.h"

FHI_EXPORT void *fh_tls_new(size_t size) {
  for (;;) {
    void *p = fhi_local_malloc_fast(size);
    if (FHI_LIKELY(p != NULL))
      return p;
    if (!fhi_new_handler_ran())
      fhi_throw_bad_alloc();
  }
}

// A handler that throws: the caller is noexcept and must get NULL. C cannot catch; the process's nothrow operator new can.
extern void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow) __attribute__((weak));
extern const char _ZSt7nothrow __attribute__((weak));

FHI_EXPORT void *fh_tls_new_nothrow(size_t size) {
  void *p = fhi_local_malloc_fast(size);
  if (FHI_UNLIKELY(!p) && _ZnwmRKSt9nothrow_t)
    return _ZnwmRKSt9nothrow_t(size, &_ZSt7nothrow);
  return p;
}
