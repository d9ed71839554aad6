/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * abi.h - the part of the heap's layout that inlined code freezes into binaries.
 *
 * The inlined local fast path knows: the size classes, where a class's head of free blocks is found, and that a free block's
 * first word is the next one. Each binary that contains it refers to the symbol fh_layout_3; a libfreehold with another layout
 * does not define it, so that such a binary fails to link or load with one clear line.
 *
 * Executables (libfreehold.a): `fh_heads` is a thread-local array, local-exec: head of class c is %fs:fh_heads@tpoff + 8*(c + 1).
 * Shared libraries (libfreehold.so, or the executable's own runtime where it exports fh_*): `fh_heads_base` is a thread-local
 * pointer, initial-exec, to the same kind of array. It is never null, in any thread, from its first instruction to its last:
 * until the thread has a heap it points to a read-only array of nulls, so a pop falls through to the slow path by its own test of
 * the head, and only a non-null head may be written. The slow path may change it (once a thread, and in no other call): load it
 * anew after a call of fh_tls_malloc_class or of anything that allocates; a stale one is still safe for pops, since it reads
 * null. A head is null in a thread that is ending, however many blocks are free: inlined pops then always take the slow path.
 *
 * The word before class 0's head, `zero`, is a head too, of blocks that inlined code freed by a run-time size of 0: the
 * arithmetic that finds the class of a small size comes to it, without a test of its own. Only the library pops there.
 *
 * Right behind the heads, at FH_PUSH_OFFSET, lies one word, `push_from`. An inlined free of block p of a known class may put it
 * into its head (block's first word = head, head = block) only if p, as a number, is not below it. It is FH_LOCAL_BASE, which
 * keeps null and shared blocks out, or UINTPTR_MAX, which keeps all out: where a block may be neither the local heap's nor
 * shared, or where that heap keeps no heads, as in a thread that has no local heap, that is ending, to which a local function
 * ever handed a block that its size does not tell, or whose frees must be looked at. The free is then a call of fh_tls_free. Pops
 * need no such test: the heads are null where none may happen.
 *
 * Thread-safety: each thread sees its own heads; nothing here is shared.
 */
#ifndef FREEHOLD_ABI_H
#define FREEHOLD_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Size classes, block size in bytes: 16-byte steps to 1 KiB (classes 0..63), then four a doubling to 32 KiB (64..83).
   Larger requests have no class. */
#define FH_SMALL_MAX 1024u
#define FH_CLASSED_MAX 32768u
#define FH_CLASS_COUNT 84u

/* Class of a request of 0 <= size <= FH_CLASSED_MAX. */
static inline uint32_t fh_class_of(size_t size) {
  if (size <= FH_SMALL_MAX)
    return size == 0 ? 0 : (uint32_t)((size + 15) / 16 - 1);
  /* size in (2^(k), 2^(k+1)], k >= 10: quarter steps of 2^(k-2) */
  uint32_t k = 63 - (uint32_t)__builtin_clzll((unsigned long long)(size - 1));
  return 64 + (k - 10) * 4 + (uint32_t)(((size - 1) >> (k - 2)) & 3);
}

/* Block size of a class. */
static inline size_t fh_class_size(uint32_t c) {
  if (c < 64)
    return ((size_t)c + 1) * 16;
  uint32_t k = 10 + (c - 64) / 4, q = (c - 64) % 4;
  return ((size_t)1 << k) + (((size_t)q + 1) << (k - 2));
}

/* What inlined code sees of a thread's record. */
struct fh_heap {
  void *zero;
  void *heads[FH_CLASS_COUNT];
  uintptr_t push_from;
};
#define FH_PUSH_OFFSET ((FH_CLASS_COUNT + 1) * sizeof(void *))

/* Address ranges: the heap's kind is in the address. [FH_LOCAL_BASE, + 2^FH_RANGE_BITS) local, the shared range right below it.
   Together they begin at a multiple of their size: one shift and one compare tell whether an address is in them. */
#if defined(__SANITIZE_THREAD__) || defined(FH_TSAN)
#define FH_RANGE_BITS 37
#define FH_SHARED_BASE ((uintptr_t)0x7e8000000000)
#define FH_LOCAL_BASE ((uintptr_t)0x7ea000000000)
#else
/* Free in plain, valgrind and AddressSanitizer processes alike. */
#define FH_RANGE_BITS 40
#define FH_SHARED_BASE ((uintptr_t)0x300000000000)
#define FH_LOCAL_BASE ((uintptr_t)0x310000000000)
#endif

extern const char fh_layout_3;

/* Slow paths of the inlined code: a block of class c, or NULL with errno ENOMEM. */
void *fh_tls_malloc_class(uint32_t c);

/* Owner check (--freehold-check). p was accessed for size bytes in code that Freehold instrumented: if it lies in a local
   block of another thread the program stops with one line. site: "file:line" or NULL; write: 0 read, 1 write. Async-signal-safe.
 */
void fh_check_access(const void *p, size_t size, const char *site, int write);
/* Called by rewritten allocations under the owner check: remembers that block p was allocated at that site. */
void fh_check_site(void *p, const char *site);

#ifdef __cplusplus
}
#endif
#endif
