// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// containers.cpp - the standard containers over the local heap: where their memory is, over-aligned elements, exceptions, other
// threads' containers beside each other.
#include "../runtime/check.h"

#include "freehold/allocator.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

template <class T> using Vector = std::vector<T, freehold::tls_allocator<T>>;
using String = std::basic_string<char, std::char_traits<char>, freehold::tls_allocator<char>>;
using Map = std::map<int, String, std::less<>, freehold::tls_allocator<std::pair<const int, String>>>;

struct alignas(128) Wide {
  std::uint64_t Value;
};

static void vectors() {
  Vector<int> Numbers;
  for (int I = 0; I < 200000; ++I)
    Numbers.push_back(I);
  CHECK(fh_is_local(Numbers.data()));
  for (int I = 0; I < 200000; ++I)
    CHECK(Numbers[std::size_t(I)] == I);
  Vector<int> Moved = std::move(Numbers);
  CHECK(Moved.size() == 200000);
  Moved.resize(3);
  Moved.shrink_to_fit();
  CHECK(Moved[2] == 2 && fh_is_local(Moved.data()));
  Vector<Wide> Aligned;
  for (std::uint64_t I = 0; I < 1000; ++I) {
    Aligned.push_back({I});
    CHECK((reinterpret_cast<std::uintptr_t>(Aligned.data()) & 127) == 0);
  }
  for (std::uint64_t I = 0; I < 1000; ++I)
    CHECK(Aligned[I].Value == I);
  Vector<char> Empty(0);
  CHECK(Empty.empty());
}

static void nodes() {
  Map Names;
  for (int Round = 0; Round < 3; ++Round) {
    for (int I = 0; I < 5000; ++I)
      Names[I] = String(std::size_t(I % 100), 'x');
    for (int I = 0; I < 5000; ++I)
      CHECK(Names.at(I).size() == std::size_t(I % 100));
    CHECK(fh_is_local(&Names.begin()->second) && fh_is_local(Names.at(99).data()));
    for (int I = 0; I < 5000; I += 1 + Round)
      Names.erase(I);
  }
  std::list<int, freehold::tls_allocator<int>> List(100, 7), Copy = List;
  CHECK(Copy == List);
  auto Shared = std::allocate_shared<String>(freehold::tls_allocator<String>(), "counted");
  CHECK(*Shared == "counted" && fh_is_local(Shared.get()));
  CHECK(freehold::tls_allocator<int>() == freehold::tls_allocator<char>());
}

static void polymorphic() {
  std::pmr::memory_resource *Resource = freehold::tls_resource();
  CHECK(Resource->is_equal(*freehold::tls_resource()) && !Resource->is_equal(*std::pmr::new_delete_resource()));
  std::pmr::unordered_map<int, std::pmr::string> Table(Resource);
  for (int I = 0; I < 20000; ++I)
    Table[I] = "a string that is longer than what fits in place";
  CHECK(fh_is_local(Table.at(5).data()) && Table.size() == 20000);
  for (int I = 0; I < 20000; I += 2)
    Table.erase(I);
  CHECK(Table.size() == 10000);
  for (std::size_t Alignment = 1; Alignment <= 4096; Alignment *= 2) {
    void *Kept[5]; // the first block of a page is aligned by itself
    for (void *&P : Kept) {
      P = Resource->allocate(100, Alignment);
      CHECK((reinterpret_cast<std::uintptr_t>(P) & (Alignment - 1)) == 0 && fh_is_local(P));
    }
    for (void *P : Kept)
      Resource->deallocate(P, 100, Alignment);
  }
}

static void marks() {
  Vector<int> Old(10, 1);
  for (int Round = 0; Round < 100; ++Round) {
    freehold::mark_scope Scope;
    Vector<Vector<int>> Rows(20, Vector<int>(1000, Round));
    Map Names;
    for (int I = 0; I < 100; ++I)
      Names[I] = "a string that is longer than what fits in place";
    CHECK(Rows[19][999] == Round && Names.size() == 100);
  }
  CHECK(Old[9] == 1);
}

static int Handled;

static void exceptions() {
  volatile std::size_t Most = SIZE_MAX;
  bool Length = false, Alloc = false, Pmr = false;
  try {
    (void)freehold::tls_allocator<int>().allocate(Most / 2);
  } catch (const std::bad_array_new_length &) {
    Length = true;
  }
  std::set_new_handler([] {
    if (++Handled == 3)
      std::set_new_handler(nullptr);
  });
  try {
    (void)freehold::tls_allocator<char>().allocate(Most / 4);
  } catch (const std::bad_alloc &) {
    Alloc = true;
  }
  try {
    (void)freehold::tls_resource()->allocate(Most / 4, 64);
  } catch (const std::bad_alloc &) {
    Pmr = true;
  }
  CHECK(Length && Alloc && Pmr && Handled == 3);
}

int main() {
#ifdef FREEHOLD_SANITIZED
  extern std::atomic<int> FrontKnown __asm__("fhi_front_known"); // malloc is the sanitizer's: use the local heap all the same
  FrontKnown = 1;
#endif
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back([] {
      for (int Round = 0; Round < 3; ++Round) {
        vectors();
        nodes();
        polymorphic();
        marks();
      }
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  vectors();
  exceptions();
  return 0;
}
