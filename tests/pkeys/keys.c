// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keys.c - protection keys on local memory: what libc does to a block of another thread stops, what a thread and its signal
// handlers do to their own goes on. Needs a processor with keys: tests/pkeys/run makes one. Mode: FREEHOLD_CHECK; where it is off
// the program plays one that was compiled with the owner check. Exit 77 where there are no keys.
#include "../runtime/heaps.h"

#include "../../runtime/heap/hardened.h"
#include "../../runtime/heap/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>

enum { Size = 200 };
static const size_t Sizes[] = {24, Size, 20000, 40000, 300000, 5000000};
enum { Count = sizeof Sizes / sizeof Sizes[0] };

// First and last bytes, and the middle: an emulated machine is slow.
static void touch(char *p, int byte, size_t size) {
  size_t part = size < 16 ? size : 16;
  memset(p, byte, part);
  memset(p + size / 2 - part / 2, byte, part);
  memset(p + size - part, byte, part);
}

// A block as code gets it that is compiled with the owner check.
static char *make(size_t size) {
  char *p = fh_tls_malloc(size);
  CHECK(p && fh_is_local(p));
  fh_check_site(p, "site.c:7");
  touch(p, 0x11, size);
  return p;
}

static void *in_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  pthread_join(thread, &result);
  return result;
}

// ---- foreign accesses; volatile pointers keep the calls libc's ----
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void *(*volatile set)(void *, int, size_t) = memset;

static void *reads(void *p) {
  char here[16];
  make(16);
  copy(here, p, 16);
  return NULL;
}
static void *writes(void *p) {
  make(16);
  set(p, 0, 16);
  return NULL;
}
// Has a shared heap, and no local one.
static void *reads_without_a_heap(void *p) {
  char here[16];
  fhi_free(fhi_shared_malloc(10));
  copy(here, p, 16);
  return NULL;
}
static void *allocates_and_ends(void *unused) {
  (void)unused;
  for (int i = 0; i < 50; ++i)
    make(1000);
  return NULL;
}

static void foreign(void) {
  char tids[64];
  snprintf(tids, sizeof tids, "; the memory belongs to thread %d", (int)getpid());
  for (int i = 0; i < Count; ++i) {
    char *p = make(Sizes[i]) + Sizes[i] / 2 - 8;
    STOPS(in_thread(reads, p), "owner check: read at 0x");
    STOPS(in_thread(writes, p), "owner check: write at 0x");
    STOPS(in_thread(reads, p), "in code without the check, at instruction 0x");
    STOPS(in_thread(reads_without_a_heap, p), "owner check: read at 0x");
  }
  STOPS(in_thread(reads, make(Size)), " bytes, allocated at site.c:7)");
  // What is left of a thread that ended, under its successor's eyes. In a child: the thread is this one's then.
  STOPS(in_thread(writes, make(5000000)), "owner check: write at 0x");
}

// ---- the kernel ----
static int Ends[2];
static void *system_calls(void *p) {
  make(16);
  CHECK(write(Ends[1], p, 16) == -1 && errno == EFAULT);
  CHECK(write(Ends[1], "0123456789abcdef", 16) == 16);
  CHECK(read(Ends[0], p, 16) == -1 && errno == EFAULT);
  return NULL;
}

// ---- the thread's own ----
static void own_memory(void) {
  char *blocks[Count];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < Count; ++i)
      blocks[i] = make(Sizes[i]);
    for (int i = 0; i < Count; ++i) {
      CHECK((blocks[i] = fh_tls_realloc(blocks[i], 2 * Sizes[i])));
      CHECK(blocks[i][0] == 0x11 && blocks[i][Sizes[i] - 1] == 0x11);
      touch(blocks[i], 0x22, 2 * Sizes[i]);
    }
    fh_heap_t *heap = fh_heap_self();
    fh_mark_t mark = fh_heap_mark(heap);
    for (int i = 0; i < Count; ++i)
      make(Sizes[i]);
    fh_heap_reset(heap, mark);
    for (int i = 0; i < Count; ++i) {
      CHECK(blocks[i][2 * Sizes[i] - 1] == 0x22);
      fhi_free(blocks[i]);
    }
  }
}

static pthread_barrier_t Barrier;
static void *one_of_many(void *argument) {
  char *p = make(Size);
  memset(p, (int)(intptr_t)argument, Size);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < Size; ++i)
    CHECK(p[i] == (char)(intptr_t)argument);
  own_memory();
  pthread_barrier_wait(&Barrier);
  fhi_free(p);
  return NULL;
}

// More than there are keys, then more still, who take over heaps and mappings that others had.
static void many_threads(void) {
  enum { Many = 20 };
  pthread_t threads[Many];
  pthread_barrier_init(&Barrier, NULL, Many);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < Many; ++i)
      CHECK(pthread_create(&threads[i], NULL, one_of_many, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < Many; ++i)
      pthread_join(threads[i], NULL);
    in_thread(allocates_and_ends, NULL);
    fhi_trim(); // of heaps that nobody has
  }
}

// ---- signals ----
static char *volatile Mine;
static sigjmp_buf Jump;
static void handler(int signal) {
  set(Mine, signal, 16);
  if (signal == SIGUSR2)
    siglongjmp(Jump, 1);
}
static void *other_thread_in_handler(void *p) {
  make(16);
  Mine = p;
  raise(SIGUSR1);
  return NULL;
}
static void signals(void) {
  Mine = make(Size);
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  for (int i = 0; i < 3; ++i) {
    raise(SIGUSR1);
    CHECK(Mine[0] == SIGUSR1 && Mine[15] == SIGUSR1);
    Mine[0] = 0;
    if (sigsetjmp(Jump, 1) == 0)
      raise(SIGUSR2);
    CHECK(Mine[0] == SIGUSR2);
    own_memory();
  }
  STOPS(in_thread(other_thread_in_handler, Mine), "owner check: write at 0x");
}

// ---- fork, shared blocks, keys of the program's own ----
static void *uses_shared(void *p) {
  CHECK(((char *)p)[0] == 5);
  fhi_free(p);
  return NULL;
}
static void forks(void) {
  char *p = make(Size);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(500);
    CHECK(p[0] == 0x11);
    fhi_free(p);
    own_memory();
    in_thread(allocates_and_ends, NULL);
    STOPS(in_thread(reads, make(16)), "owner check: read at 0x");
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  fhi_free(p);
}

int main(void) {
  if (getenv("FREEHOLD_KEYS")) { // =0
    in_thread(reads, make(Size));
    CHECK(!fhi_keys_in_force());
    return 0;
  }
  char *first = make(Size);
  if (!fhi_keys_in_force()) {
    puts("keys: no protection keys here");
    return 77;
  }
  CHECK(__builtin_popcount(atomic_load(&fhi_keys)) == 15);
  own_memory();
  foreign();
  CHECK(pipe2(Ends, O_NONBLOCK) == 0);
  for (int i = 0; i < Count; ++i)
    in_thread(system_calls, make(Sizes[i]));
  signals();
  forks();
  char *shared = fhi_shared_malloc(Size);
  shared[0] = 5;
  in_thread(uses_shared, shared);
  many_threads();
  CHECK(first[0] == 0x11);
  STOPS(in_thread(reads, first), "owner check: read at 0x");
  return 0;
}
