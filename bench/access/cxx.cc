// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cxx.cc - access.c and state.c for C++'s thread_local objects with a destructor: with ROW_USE the functions, with ROW_STATE the
// objects, with both in one file, which lets the compiler see that they need no initialisation.
#include "types.h"

struct first_object : first {
  ~first_object();
};
struct second_object : second {
  ~second_object();
};
extern thread_local first_object one_object;
extern thread_local second_object other_object;
extern "C" __attribute__((visibility("hidden"))) void *access_begin(void);

#ifdef ROW_STATE
static volatile int ended;
first_object::~first_object() { ended = a; }
second_object::~second_object() { ended = a; }
thread_local first_object one_object;
thread_local second_object other_object;
extern "C" void *access_begin(void) { return &one_object; }
#endif

#ifdef ROW_USE
#define READ(place) __asm__ volatile("" : : "r"(place) : "memory")
static void none(void *) {}
static void one(void *) { READ(one_object.a); }
static void four(void *) {
  READ(one_object.a);
  READ(other_object.a);
  READ(one_object.b);
  READ(other_object.b);
}
extern "C" const access access_functions = {none, one, four, access_begin};
#endif
