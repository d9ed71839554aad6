// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// os.h - all that the runtime asks of the operating system: memory, messages, locks, thread identity. Every function states its
// contract here; nothing above this folder calls mmap, write or a pthread lock itself.
#ifndef FHI_OS_H
#define FHI_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FHI_HIDDEN __attribute__((visibility("hidden")))
#define FHI_NOINLINE __attribute__((noinline))
#define FHI_LIKELY(x) __builtin_expect(!!(x), 1)
#define FHI_UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- memory (memory.c) ----

// Maps size bytes of zeroed memory exactly at addr, displacing nothing. 0 done, EEXIST if the range is occupied, else errno.
FHI_HIDDEN int fhi_os_map_at(void *addr, size_t size);
// Maps size bytes of zeroed memory anywhere, NULL if there is none.
FHI_HIDDEN void *fhi_os_map(size_t size);
// false: it is still mapped (there is no room for one more mapping); its memory is given back if that can be done.
FHI_HIDDEN bool fhi_os_unmap(void *addr, size_t size);
// Gives the memory of whole 4 KiB pages back; the addresses stay mapped and read as zero. false: memory and content stay (the
// process has locked its memory).
FHI_HIDDEN bool fhi_os_purge(void *addr, size_t size);
// Writes zeroes over whole 4 KiB pages that have memory; what has none stays so, and reads as zero.
FHI_HIDDEN void fhi_os_clear(void *addr, size_t size);
// Maps size bytes at addr for reading only, displacing nothing: they cost address space and no memory, and no huge page will ever
// lie there. false: not to be had.
FHI_HIDDEN bool fhi_os_reserve(void *addr, size_t size);
// Makes a part of that writable; it reads as zero. false: no memory.
FHI_HIDDEN bool fhi_os_make_writable(void *addr, size_t size);
// Makes whole 4 KiB pages inaccessible, or accessible again with the content they had. false: there is no room for one more
// mapping.
FHI_HIDDEN bool fhi_os_protect(void *addr, size_t size, bool accessible);
// What the process's address space is limited to (RLIMIT_AS), in bytes; SIZE_MAX: no limit.
FHI_HIDDEN size_t fhi_os_address_space(void);
// Bytes that fhi_os_purge gave back so far.
FHI_HIDDEN uint64_t fhi_os_purged(void);
// Resident memory of the process and its peak, in bytes; 0 where the kernel does not tell.
FHI_HIDDEN void fhi_os_resident(uint64_t *now, uint64_t *peak);
// Asks for huge pages there.
FHI_HIDDEN void fhi_os_huge_pages(void *addr, size_t size);
// Moves the pages of [from, from + size) to the mapped range at to. false: nothing was moved.
FHI_HIDDEN bool fhi_os_move(void *from, void *to, size_t size);

// ---- memory protection keys (keys.c); sets of keys are bits ----

// All keys that the kernel still has; the calling thread has no right to any. 0: there are none here.
FHI_HIDDEN unsigned fhi_os_keys_take(void);
// Gives whole pages a key; key 0 is everybody's. false: they stay as they were.
FHI_HIDDEN bool fhi_os_key_set(void *addr, size_t size, unsigned key);
// From now on the calling thread may touch what has a key of `allowed`, and nothing else that has one of `keys`; the rights it
// had.
FHI_HIDDEN uint32_t fhi_os_keys_allow(unsigned keys, unsigned allowed);
FHI_HIDDEN void fhi_os_keys_restore(uint32_t rights);
// The same for what a signal handler, which was given this context, returns to. false: the kernel keeps them elsewhere.
FHI_HIDDEN bool fhi_os_keys_allow_in(void *context, unsigned allowed);
// Where the instruction is that caused a fault, and did it write?
FHI_HIDDEN const void *fhi_os_fault_place(const void *context, bool *write);

// ---- the loader (loader.c) ----

// Is this runtime in the process only because a library needs libfreehold.so? Not if the program needs or holds it or it was
// preloaded, nor if it was opened by its own name.
FHI_HIDDEN bool fhi_os_only_a_library_asked(void);

// ---- threads (thread.c) ----

// The kernel's id of the calling thread.
FHI_HIDDEN pid_t fhi_os_tid(void);

// The one global lock of the runtime: slots, threads, orphans. Recursive for the thread that holds it, so that a fork handler of
// the program that allocates while the lock is held across fork() cannot deadlock. Never taken on a local or shared fast path.
FHI_HIDDEN void fhi_lock(void);
FHI_HIDDEN void fhi_unlock(void);

// Keys (pthread_key_t) below this have a place for their value in every thread; for others pthread_setspecific may allocate.
enum { FHI_KEYS_WITHOUT_MEMORY = 32 };

// Lets other threads run: the caller waits for one of them to execute a few instructions.
FHI_HIDDEN void fhi_os_yield(void);

// A life line: locked by its thread for as long as that thread exists; the kernel marks it when the thread is gone.
typedef pthread_mutex_t fhi_lifeline_t;
// The calling thread takes hold of a new (or dead, or forked) life line.
FHI_HIDDEN void fhi_lifeline_hold(fhi_lifeline_t *line);
// Its holder lets go of it: nobody needs to know of its end.
FHI_HIDDEN void fhi_lifeline_release(fhi_lifeline_t *line);
// Has the thread that held it ended? After true the line must be held anew before it is asked again.
FHI_HIDDEN bool fhi_lifeline_broken(fhi_lifeline_t *line);
// Is it held by a thread that exists? A glance without a lock: a word of a robust mutex is its holder's id, which the
// kernel (with musl: the ending thread) clears when the thread ends, before the thread's id (pthread_self) can be given to
// another. Acquires what happened before it was taken.
static inline bool fhi_lifeline_held(const fhi_lifeline_t *line) {
#ifdef __GLIBC__
  const int *word = &line->__data.__lock;
#else
  const volatile int *word = &line->__u.__vi[1]; // musl's _m_lock
#endif
  return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & 0x3fffffff /* FUTEX_TID_MASK */) != 0;
}

// ThreadSanitizer does not see that the kernel orders what a thread did before others find its life line broken. The thread says
// so where it may be about to end, and fhi_lifeline_broken hears it.
#ifdef FH_TSAN
void __tsan_release(void *address);
static inline void fhi_lifeline_ends(fhi_lifeline_t *line) { __tsan_release(line); }
#else
static inline void fhi_lifeline_ends(fhi_lifeline_t *line) { (void)line; }
#endif

// A lock with a place to wait for a change of what it guards. All zeros is a monitor that nobody is in.
struct fhi_monitor {
  pthread_mutex_t lock;
  pthread_cond_t changed;
};
FHI_HIDDEN void fhi_monitor_enter(struct fhi_monitor *monitor);
FHI_HIDDEN void fhi_monitor_leave(struct fhi_monitor *monitor);
// Leaves, waits for a change (or for nothing), enters again. The caller is in it.
FHI_HIDDEN void fhi_monitor_wait(struct fhi_monitor *monitor);
FHI_HIDDEN void fhi_monitor_changed(struct fhi_monitor *monitor);
// In a forked child, where those who were in it or waited are gone.
FHI_HIDDEN void fhi_monitor_renew(struct fhi_monitor *monitor);

// A clock for deadlines: coarse, never set back, wraps after 49 days.
FHI_HIDDEN uint32_t fhi_os_milliseconds(void);

// ---- output (output.c) ----

// Writes all of it. 0, else errno. Async-signal-safe.
FHI_HIDDEN int fhi_os_write(int fd, const char *text, size_t length);
// A second descriptor of stderr for what is said at the very end, since programs close theirs before: kept once, and used if it
// is still the same file.
FHI_HIDDEN void fhi_os_keep_stderr(void);
FHI_HIDDEN int fhi_os_kept_stderr(void);

// ---- messages (message.c) ----

// One line on stderr, built on the stack and written with one write(2): async-signal-safe, allocates nothing.
struct fhi_line {
  size_t length;
  char text[512];
};
FHI_HIDDEN void fhi_line_start(struct fhi_line *line); // "freehold: "
FHI_HIDDEN void fhi_line_text(struct fhi_line *line, const char *text);
FHI_HIDDEN void fhi_line_number(struct fhi_line *line, uint64_t number);
FHI_HIDDEN void fhi_line_address(struct fhi_line *line, const void *address);
FHI_HIDDEN void fhi_line_write(struct fhi_line *line);
FHI_HIDDEN void fhi_say(const char *text);
// Writes the line and aborts.
FHI_HIDDEN _Noreturn void fhi_line_stop(struct fhi_line *line);

#endif
