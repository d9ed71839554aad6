// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// globals/objects.hpp - globals that are objects of C++: a constructor and a destructor to register them with.
//
//   FH_RESOURCE_REGISTER(engine, executor, sizeof(executor), fh_globals_construct<executor>, fh_globals_destroy<executor>)
//
// An exception of the object's constructor fails the registration, or the thread's, with FH_GLOBALS_ECTOR. Where exceptions are
// switched off, and of a destructor, one ends the program, as it does when it leaves any other function that is registered.
#ifndef FREEHOLD_GLOBALS_OBJECTS_HPP
#define FREEHOLD_GLOBALS_OBJECTS_HPP

#include <new>

template <class T> int fh_globals_construct(void *globals, void *) noexcept {
#ifdef __cpp_exceptions
  try {
    new (globals) T();
    return 0;
  } catch (...) {
    return 1;
  }
#else
  new (globals) T();
  return 0;
#endif
}

template <class T> void fh_globals_destroy(void *globals, void *) noexcept { static_cast<T *>(globals)->~T(); }

#endif
