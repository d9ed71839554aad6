/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * stats.h - what the heap knows of itself, at any time and for every thread. Always compiled in; no fast path counts anything.
 *
 * Numbers are gathered when they are asked for, from the heaps' descriptors, while all threads go on. A thread's own blocks are
 * counted exactly. Of other threads' heaps the blocks that lie ready in a thread's heads (for each size class at most what one
 * page holds, but for frees by inlined code) and those on their way home from other threads count as live; so live_bytes is an
 * upper bound there, and sums of numbers that change meanwhile may be off by what changed. Without other threads' activity two
 * reads agree.
 *
 * Ownership: the caller's structures are filled, nothing is kept. Thread-safety: every function may be called by any thread at
 * any time but from a signal handler; none allocates from the heap. Errors: as each function says; a structure that is too small
 * or of no known version gives EINVAL.
 */
#ifndef FREEHOLD_STATS_H
#define FREEHOLD_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FH_STATS_VERSION 1u

/* One kind's share: of one thread, or the sum over all. Bytes and counts as of now, unless "so far" is said: that begins with the
   heap, which may have served threads before this one. */
typedef struct fh_stats_heap {
  uint64_t live_bytes;  /* blocks handed out and not freed, by their block sizes (a request rounded up to its class) */
  uint64_t live_blocks; /* their number */
  uint64_t page_bytes;  /* pages in use, of 64 KiB each: they hold blocks, or are a class's current one */
  uint64_t huge_bytes;  /* blocks with a mapping of their own, live all of them */
  uint64_t
      peak_page_bytes;   /* highest page_bytes so far; in a sum over heaps, whose peaks fall on different times, an upper bound */
  uint64_t idle_bytes;   /* pages that hold nothing and were not given back */
  uint64_t mapped_bytes; /* address space of segments and huge blocks */
  uint64_t purged_bytes; /* given back to the system so far while the addresses were kept */
  uint64_t remote_sent;  /* blocks of other threads that were handed to them, so far */
  uint64_t remote_received; /* blocks of this one's that others freed and that have come home, so far */
  uint32_t heaps;           /* heaps that these numbers are the sum of */
  uint32_t segments;        /* of 4 MiB of address space each */
  uint32_t pages;           /* in use */
  uint32_t huge_blocks;
  uint64_t reserved[4]; /* 0 */
} fh_stats_heap_t;

/* The process. */
typedef struct fh_stats {
  uint32_t size;    /* set by the caller: sizeof(fh_stats_t); set by the call: bytes that were filled */
  uint32_t version; /* set by the caller: FH_STATS_VERSION; set by the call: the library's */
  uint32_t pid;
  uint32_t threads;              /* alive, with a heap */
  uint32_t waiting_heaps;        /* heaps of threads that have ended, waiting for a thread to adopt them */
  uint32_t reserved;             /* 0 */
  uint64_t mapped_bytes;         /* address space from the system for blocks */
  uint64_t cached_bytes;         /* of these: in no heap, kept for whatever thread needs memory next */
  uint64_t peak_mapped_bytes;    /* so far */
  uint64_t limit_bytes;          /* FREEHOLD_LIMIT; UINT64_MAX: none */
  uint64_t purged_bytes;         /* given back to the system so far, by purging and unmapping */
  uint64_t resident_bytes;       /* of the whole process, as the kernel counts; 0: unknown */
  uint64_t peak_resident_bytes;  /* the same, so far */
  fh_stats_heap_t local, shared; /* sums over all heaps, waiting ones included */
  fh_stats_heap_t waiting;       /* the waiting ones', of both kinds */
} fh_stats_t;

/* One thread. */
typedef struct fh_stats_thread {
  uint32_t size, version; /* as above, in the first element of the array */
  uint32_t tid;           /* the kernel's id */
  uint32_t is_caller;     /* 1: the thread that asks */
  uint64_t idle_ms;       /* since it last came to a slow path: it may have allocated and freed since, but without a new page */
  fh_stats_heap_t local, shared;
} fh_stats_thread_t;

/* Fills *stats. false: errno is EINVAL. */
bool fh_stats_read(fh_stats_t *stats);
/* Fills the first `count` elements, one a thread, in no order; threads[0] says how large an element is. Returns how many threads
   there are, which may be more than count; 0 with errno EINVAL. count 0 only asks for the number. */
size_t fh_stats_read_threads(fh_stats_thread_t *threads, size_t count);

typedef enum fh_stats_form {
  FH_STATS_TEXT, /* for people; may change */
  FH_STATS_JSON  /* schema freehold-stats/1: docs/statistics.md; ends with a newline */
} fh_stats_form_t;

/* As snprintf: writes at most size bytes with a final NUL, returns the length of the whole. */
size_t fh_stats_format(char *buffer, size_t size, fh_stats_form_t form);
/* Writes the whole to a file descriptor. 0, or -1 and errno (ENOMEM, or what write said). */
int fh_stats_print(int fd, fh_stats_form_t form);

#ifdef __cplusplus
}
#endif
#endif
