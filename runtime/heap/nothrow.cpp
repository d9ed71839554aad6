// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nothrow.cpp - the nothrow forms of operator new: the throwing form, its exception caught. The one file of the runtime in C++,
// since C cannot catch. Definitions are weak as in operators.c, and references as in cxx.h: -DFH_WEAK_CXX for libfreehold.so.
#include <new>

#ifdef FH_WEAK_CXX
__asm__(
    ".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n.weak _Unwind_Resume\n.weak _ZSt9terminatev");
#endif

#define OPERATOR __attribute__((weak, visibility("default")))

OPERATOR void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}

OPERATOR void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return operator new[](size);
  } catch (...) {
    return nullptr;
  }
}

OPERATOR void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  try {
    return operator new(size, alignment);
  } catch (...) {
    return nullptr;
  }
}

OPERATOR void *operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  try {
    return operator new[](size, alignment);
  } catch (...) {
    return nullptr;
  }
}
