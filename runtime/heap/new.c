// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// new.c - operator new on the local heap, for rewritten C++. libstdc++ (or libc++abi) is referred to weakly: C programs do
// without. Compiled with -fexceptions: the exception leaves through these frames.
#include "api.h"

#include "freehold/heap.h"

#include <stdlib.h>

typedef void new_handler(void);
extern new_handler *_ZSt15get_new_handlerv(void) __attribute__((weak)); // std::get_new_handler()
extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak));       // std::__throw_bad_alloc()

// Asks the handler for memory until there is some; NULL if there is no handler.
static void *with_handler(size_t size) {
  for (;;) {
    void *p = fhi_local_malloc_fast(size);
    if (FHI_LIKELY(p != NULL))
      return p;
    new_handler *handler = _ZSt15get_new_handlerv ? _ZSt15get_new_handlerv() : NULL;
    if (!handler)
      return NULL;
    handler();
  }
}

FHI_EXPORT void *fh_tls_new(size_t size) {
  void *p = with_handler(size);
  if (FHI_LIKELY(p != NULL))
    return p;
  if (_ZSt17__throw_bad_allocv)
    _ZSt17__throw_bad_allocv();
  abort();
}

// A handler that throws: the caller is noexcept and gets NULL from libstdc++'s own nothrow new. C cannot catch, so here the
// exception would leave; libstdc++'s nothrow operator new is asked instead, which a handler can only reach when memory is out.
extern void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow) __attribute__((weak));
extern const char _ZSt7nothrow __attribute__((weak));

FHI_EXPORT void *fh_tls_new_nothrow(size_t size) {
  void *p = fhi_local_malloc_fast(size);
  if (FHI_UNLIKELY(!p) && _ZnwmRKSt9nothrow_t)
    return _ZnwmRKSt9nothrow_t(size, &_ZSt7nothrow);
  return p;
}
