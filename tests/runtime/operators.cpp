// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// operators.cpp - every form of operator new and delete. Argument "ours": the blocks come from libfreehold's shared heap;
// "other": from elsewhere; "front": from an allocator in front, of which no more is asked than that blocks can be freed; "full":
// run with FREEHOLD_LIMIT=64M, memory gives out and the new handler is asked. -DOWN_NEW: the program brings the plain forms
// itself, and all that the standard defines by them must come to them. -DOWN_MALLOC: it brings a malloc. -DWITH_LOCAL: the local
// heap's too.
#include "check.h"

#include "freehold/abi.h"
#ifdef WITH_LOCAL
#include "freehold/heap.h"
#endif

#include <cstdint>
#include <initializer_list>
#include <new>

static int News, Deletes; // calls of the program's own
#ifdef OWN_NEW
void *operator new(std::size_t size) {
  ++News;
  void *p = malloc(size);
  if (!p)
    throw std::bad_alloc();
  return p;
}
void operator delete(void *p) noexcept {
  ++Deletes;
  free(p);
}
#endif
#ifdef OWN_MALLOC
extern "C" void *__libc_malloc(std::size_t size); // glibc's, whatever is linked
extern "C" void __libc_free(void *p);
extern "C" void *malloc(std::size_t size) {
  ++News;
  return __libc_malloc(size);
}
extern "C" void free(void *p) {
  Deletes += p != nullptr;
  __libc_free(p);
}
extern "C" void *calloc(std::size_t count, std::size_t size) {
  void *p = __libc_malloc(count * size);
  return p ? memset(p, 0, count * size) : p;
}
extern "C" void *__libc_realloc(void *p, std::size_t size);
extern "C" void *realloc(void *p, std::size_t size) { return __libc_realloc(p, size); }
#endif

static bool Ours;
static void *used(void *p, std::size_t size, std::size_t alignment = 16) {
  if (!Ours && alignment == 16)
    alignment = 8; // others' small blocks
  CHECK(p && (reinterpret_cast<std::uintptr_t>(p) & (alignment - 1)) == 0);
  if (Ours)
    CHECK(reinterpret_cast<std::uintptr_t>(p) - FH_SHARED_BASE < std::uintptr_t(1) << FH_RANGE_BITS);
  memset(p, 0x5a, size);
  return p;
}

static void every_form(std::size_t size) {
  operator delete(nullptr);
  operator delete[](nullptr);
  operator delete(used(operator new(size), size));
  operator delete(used(operator new(size), size), size);
  operator delete(used(operator new(size, std::nothrow), size), std::nothrow);
  operator delete[](used(operator new[](size), size));
  operator delete[](used(operator new[](size), size), size);
  operator delete[](used(operator new[](size, std::nothrow), size), std::nothrow);
#if !defined OWN_NEW && !defined NO_ALIGNED
  constexpr std::align_val_t Wide{128};
  operator delete(used(operator new(size, Wide), size, 128), Wide);
  operator delete(used(operator new(size, Wide), size, 128), size, Wide);
  operator delete(used(operator new(size, Wide, std::nothrow), size, 128), Wide, std::nothrow);
  operator delete[](used(operator new[](size, Wide), size, 128), Wide);
  operator delete[](used(operator new[](size, Wide), size, 128), size, Wide);
  operator delete[](used(operator new[](size, Wide, std::nothrow), size, 128), Wide, std::nothrow);
#endif
}

static volatile std::size_t Huge = SIZE_MAX / 4;
static void *volatile Sink;

template <typename Function> static bool throws(Function F) {
  try {
    F();
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

static void impossible() {
  CHECK(throws([] { Sink = operator new(Huge); }) && throws([] { Sink = operator new[](Huge); }));
  CHECK(!operator new(Huge, std::nothrow) && !operator new[](Huge, std::nothrow));
#ifndef OWN_NEW
  CHECK(throws([] { Sink = operator new(Huge, std::align_val_t{64}); }) &&
        throws([] { Sink = operator new[](Huge, std::align_val_t{64}); }));
  CHECK(!operator new(Huge, std::align_val_t{64}, std::nothrow) && !operator new[](Huge, std::align_val_t{64}, std::nothrow));
#endif
}

// With 64 MB allowed: 40 MB are put aside, the next 40 MB make the handler give them back.
static void *Aside;
static int Asked;
static void give_back() {
  ++Asked;
  operator delete(Aside);
  Aside = nullptr;
  std::set_new_handler([] { throw std::bad_alloc(); });
}

static void full() {
  constexpr std::size_t Much = std::size_t(40) << 20;
  Aside = operator new(Much);
  std::set_new_handler(give_back);
  void *p = operator new(Much);
  CHECK(p && Asked == 1 && !Aside);
  CHECK(throws([] { Sink = operator new(Much); })); // the handler throws
  CHECK(!operator new(Much, std::nothrow));         // and is caught
  CHECK(!operator new[](Much, std::nothrow));
  CHECK(!operator new(Much, std::align_val_t{4096}, std::nothrow));
#ifdef WITH_LOCAL
  CHECK(throws([] { Sink = fh_tls_new(Much); }) && !fh_tls_new_nothrow(Much));
#endif
  operator delete(p);
  p = operator new(Much);
  operator delete(p);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "other";
  Ours = strcmp(mode, "ours") == 0 || strcmp(mode, "full") == 0;
  for (std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(100), std::size_t(1024), std::size_t(5000),
                           std::size_t(40000), std::size_t(3000000)})
    every_form(size);
#ifdef OWN_NEW
  CHECK(News == 7 * 6 && Deletes == 7 * 8); // twice it is NULL
#endif
#ifdef OWN_MALLOC
  CHECK(News >= 7 * 6 && Deletes >= News);
#endif
  if (strcmp(mode, "full") == 0)
    full();
  if (strcmp(mode, "front") != 0)
    impossible();
  puts("done");
  return 0;
}
