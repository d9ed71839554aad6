// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// allocator.hpp - the local heap for C++ containers: a std::allocator replacement and a std::pmr::memory_resource. C++17, header
// only.
//
//   std::vector<int, freehold::tls_allocator<int>> numbers;
//   std::pmr::unordered_map<int, int> table(freehold::tls_resource());
//
// A container with either belongs to the thread that filled it: that thread alone may change, move from or destroy it; its memory
// is gone when the thread ends. Memory is freed by its size, so both ends are inlined (see inline.h). Without memory the new
// handler is called, then std::bad_alloc is thrown (without exceptions: std::abort).
#ifndef FREEHOLD_ALLOCATOR_HPP
#define FREEHOLD_ALLOCATOR_HPP

#include "freehold/heap.h"

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <type_traits>

namespace freehold {
namespace detail {

// What malloc aligns to; blocks of more are freed without their size, which does not tell their class.
inline constexpr std::size_t malloc_alignment = 16;

[[noreturn]] inline void no_memory() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

inline void *allocate(std::size_t size, std::size_t alignment) {
  for (;;) {
    void *p = alignment <= malloc_alignment ? fh_tls_malloc(size) : fh_tls_aligned_alloc(alignment, size);
    if (__builtin_expect(p != nullptr, 1))
      return p;
    std::new_handler handler = std::get_new_handler();
    if (!handler)
      no_memory();
    handler();
  }
}

inline void deallocate(void *p, std::size_t size, std::size_t alignment) noexcept {
  if (alignment <= malloc_alignment)
    fh_tls_free_sized(p, size);
  else
    fh_tls_free(p);
}

} // namespace detail

// A drop-in for std::allocator<T>. It has no state: all are equal.
template <class T> class tls_allocator {
public:
  using value_type = T;
  using is_always_equal = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;

  constexpr tls_allocator() noexcept = default;
  template <class U> constexpr tls_allocator(const tls_allocator<U> &) noexcept {}

  [[nodiscard]] T *allocate(std::size_t count) {
    if (count > std::size_t(-1) / sizeof(T)) {
#ifdef __cpp_exceptions
      throw std::bad_array_new_length();
#else
      detail::no_memory();
#endif
    }
    return static_cast<T *>(detail::allocate(count * sizeof(T), alignof(T)));
  }

  // count is what allocate was asked for.
  void deallocate(T *p, std::size_t count) noexcept { detail::deallocate(p, count * sizeof(T), alignof(T)); }

  template <class U> friend constexpr bool operator==(const tls_allocator &, const tls_allocator<U> &) noexcept { return true; }
  template <class U> friend constexpr bool operator!=(const tls_allocator &, const tls_allocator<U> &) noexcept { return false; }
};

// The same for std::pmr. Every thread may use the one object; what it allocates comes from the calling thread's heap.
class tls_memory_resource final : public std::pmr::memory_resource {
  void *do_allocate(std::size_t size, std::size_t alignment) override { return detail::allocate(size, alignment); }
  void do_deallocate(void *p, std::size_t size, std::size_t alignment) override { detail::deallocate(p, size, alignment); }
  bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override { return this == &other; }
};

namespace detail {
// Never destroyed: containers with static storage may outlive every other object.
union tls_resource_holder {
  tls_memory_resource resource;
  constexpr tls_resource_holder() : resource() {}
  ~tls_resource_holder() {}
};
inline tls_resource_holder tls_resource_object;
} // namespace detail

inline std::pmr::memory_resource *tls_resource() noexcept { return &detail::tls_resource_object.resource; }

// A request's memory: marks the calling thread's heap, and drops at its end all that the thread allocated there meanwhile.
// Objects in that memory are not destroyed by it: they are gone before, or need no destructor.
class mark_scope {
  fh_heap_t *heap;
  fh_mark_t mark;

public:
  mark_scope() noexcept : heap(fh_heap_self()), mark(fh_heap_mark(heap)) {}
  ~mark_scope() { fh_heap_reset(heap, mark); }
  mark_scope(const mark_scope &) = delete;
  mark_scope &operator=(const mark_scope &) = delete;
};

} // namespace freehold
#endif
