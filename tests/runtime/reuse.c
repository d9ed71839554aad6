// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reuse.c - a thread finds what an ended one left in its thread-specific values. glibc gives stacks to new threads, descriptor
// and all, and clears no value that was stored after the key destructors had run, or by a thread that ended without any.
//
// First as it looks from inside, on every build: a thread stores what it could have found. Then as it comes about: by threads
// that end with a bare system call, and by frees that the C library makes after the destructors.
#include "heaps.h"

#include <pthread.h>
#include <sys/syscall.h>

enum { Keys = 64, Early = 40, Vanished = 50, Many = 5000 };

// Our key in which this thread has that value; Keys: it has it in none.
static pthread_key_t key_of(const void *value) {
  pthread_key_t key = 0;
  while (key < Keys && pthread_getspecific(key) != value)
    ++key;
  return key;
}

static pthread_key_t Key;
static struct fhi_thread *Main;
static struct fhi_heap *Found; // of the thread that ended
static bool UsesHeap;

static void use_heap(void) {
  void *blocks[40];
  for (unsigned i = 0; i < 40; ++i) {
    blocks[i] = i % 2 ? fh_tls_malloc(16 + i * 9) : fhi_shared_malloc(16 + i * 9);
    fill(blocks[i], 16 + i * 9, i);
  }
  for (unsigned i = 0; i < 40; ++i) {
    CHECK(filled(blocks[i], 16 + i * 9, i));
    fhi_free(blocks[i]);
  }
}

static void *with_mains_record(void *uses_heap) {
  CHECK(pthread_setspecific(Key, Main) == 0);
  if (uses_heap) {
    use_heap();
    CHECK(pthread_getspecific(Key) == fhi_self()->thread);
    Found = fhi_self()->shared;
    CHECK(fhi_self()->home == Found);
  }
  return NULL;
}

static void run(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  pthread_join(thread, NULL);
}

static void main_is_whole(void) {
  CHECK(fhi_self()->thread == Main && Main->alive && !Main->leaving);
  CHECK(atomic_load(&Main->shared->state) == FHI_OWNED && !Main->local->late);
  CHECK(fhi_self()->home == Main->shared);
  use_heap();
}

// A live thread's record: the other thread's end must not touch it.
static void another_record(void) {
  run(with_mains_record, NULL);
  main_is_whole();
  run(with_mains_record, &UsesHeap);
  main_is_whole();
  fhi_lock();
  fhi_threads_reap(); // no scan: it has marked itself
  fhi_unlock();
  CHECK(atomic_load(&Found->state) == FHI_ORPHAN);
}

#if FH_ACCESS == FH_KEY
// The key by which a thread finds its own.
static void *with_mains_self(void *key) {
  CHECK(pthread_setspecific(*(pthread_key_t *)key, &Main->record) == 0);
  CHECK(fhi_self() == &fhi_no_self);
  use_heap();
  CHECK(fhi_self() != &Main->record && fhi_self()->thread != Main && fhi_self()->shared != Main->shared);
  return NULL;
}

static void anothers_self(void) {
  pthread_key_t key = key_of(fhi_self());
  CHECK(key < Keys);
  run(with_mains_self, &key);
  main_is_whole();
}
#else
static void anothers_self(void) {}
#endif

// ThreadSanitizer waits for ever for one that vanished, AddressSanitizer finds its own key's value again.
#ifndef FREEHOLD_SANITIZED
static pthread_t Vanisher;
static unsigned Reused;

// No destructor runs, and who joins it frees the stack.
static void *vanishes(void *argument) {
  use_heap();
  Vanisher = pthread_self();
  syscall(SYS_exit, 0);
  return argument;
}

static void *idles(void *argument) {
  Reused += pthread_self() == Vanisher;
  return argument;
}

static void *works(void *argument) {
  Reused += pthread_self() == Vanisher;
  use_heap();
  CHECK(fhi_self()->home == fhi_self()->shared);
  return argument;
}

static void vanished_threads(void) {
  for (int i = 0; i < Vanished; ++i) {
    run(vanishes, NULL);
    run(i % 2 ? idles : works, NULL);
    main_is_whole();
  }
#ifdef __GLIBC__
  CHECK(Reused > 0);
#endif
}
#else
static void vanished_threads(void) {}
#endif

// A thread that only frees may get a heap to gather in, but not where to store our key's value would allocate.
static void *Blocks[Many];

static void *only_frees(void *argument) {
  for (int i = 0; i < Many; ++i)
    fhi_free(Blocks[i]);
  CHECK(fhi_self()->shared == &fhi_no_heap || Key < FHI_KEYS_WITHOUT_MEMORY);
  use_heap();
  CHECK(fhi_self()->shared != &fhi_no_heap && pthread_getspecific(Key) == fhi_self()->thread);
  return argument;
}

static void consumer(void) {
  for (int i = 0; i < Many; ++i)
    Blocks[i] = fhi_shared_malloc(50);
  run(only_frees, NULL);
}

// A line of ours, perhaps under the lock, is no place where a thread may be cancelled.
static void *says(void *argument) {
  pthread_cancel(pthread_self());
  fhi_say("runtime.reuse: this line is expected");
  return argument;
}

static void not_cancelled(void) {
  pthread_t thread;
  void *result = NULL;
  CHECK(pthread_create(&thread, NULL, says, &thread) == 0 && pthread_join(thread, &result) == 0);
  CHECK(result == &thread);
}

int main(void) {
  heaps_start();
  for (int i = 0; i < Early; ++i) { // before ours, unless the process's malloc is
    pthread_key_t key;
    CHECK(pthread_key_create(&key, NULL) == 0);
  }
  use_heap();
  Main = fhi_self()->thread;
  Key = key_of(Main);
  CHECK(Key < Keys);
  another_record();
  anothers_self();
  vanished_threads();
  consumer();
  not_cancelled();
  return 0;
}
