// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cxx.h - what operator new needs of C++'s own runtime (libstdc++ or libc++). C programs load libfreehold.so too, so there it is
// referred to weakly; so does a member of the archive that C programs extract (FHI_CXX_WEAK). The other members only C++ programs
// extract, and a weak reference would extract nothing of libstdc++.a: there the references are strong.
#ifndef FHI_CXX_H
#define FHI_CXX_H

#include "../access/access.h"

#include <stdlib.h>

#if FH_ACCESS == FH_LOCAL_EXEC && !defined(FHI_CXX_WEAK)
#define FHI_CXX_RUNTIME
#else
#undef FHI_CXX_WEAK
#define FHI_CXX_WEAK
#define FHI_CXX_RUNTIME __attribute__((weak))
#endif

typedef void fhi_new_handler(void);
extern fhi_new_handler *_ZSt15get_new_handlerv(void) FHI_CXX_RUNTIME; // std::get_new_handler()
extern _Noreturn void _ZSt17__throw_bad_allocv(void) FHI_CXX_RUNTIME; // std::__throw_bad_alloc()

// After a failed attempt: calls the new handler, and comes back if there was one; else false.
static inline bool fhi_new_handler_ran(void) {
#ifdef FHI_CXX_WEAK
  if (!_ZSt15get_new_handlerv)
    return false;
#endif
  fhi_new_handler *handler = _ZSt15get_new_handlerv();
  if (handler)
    handler();
  return handler != NULL;
}

static inline _Noreturn void fhi_throw_bad_alloc(void) {
#ifdef FHI_CXX_WEAK
  if (!_ZSt17__throw_bad_allocv)
    abort();
#endif
  _ZSt17__throw_bad_allocv();
}

#endif
