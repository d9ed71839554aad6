// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// own.c - which records a thread has, by one key of the process. Its destructor ends a thread that ends without a word, while its
// thread-local variables are still there.
#include "globals.h"

static pthread_key_t Key;
static pthread_once_t Once = PTHREAD_ONCE_INIT;
static bool Made; // read without a lock
// Has the calling thread stored a value? libc hands the memory of a thread that vanished, its keys' values included, to a new
// one; but thread-local variables it makes anew.
static _Thread_local bool Stored;

static void at_thread_exit(void *value) {
  struct fhi_record *record = value;
  if (!Stored)
    return;
  // Other keys' destructors may still use the globals: they get a round first.
  if (!record->deferred) {
    record->deferred = true;
    if (pthread_setspecific(Key, record) == 0)
      return;
  }
  // Destructors find their block by the key, and what ends is taken off it.
  pthread_setspecific(Key, record);
  while ((record = pthread_getspecific(Key)) != NULL)
    fhi_record_end(record);
}

static void make_key(void) {
  // Release: who sees it sees the key.
  __atomic_store_n(&Made, pthread_key_create(&Key, at_thread_exit) == 0, __ATOMIC_RELEASE);
}

// When the library is unloaded threads may remain that would call the destructor at their end.
__attribute__((destructor)) static void at_unload(void) {
  if (__atomic_exchange_n(&Made, false, __ATOMIC_ACQ_REL))
    pthread_key_delete(Key);
}

bool fhi_own_start(void) { return pthread_once(&Once, make_key) == 0 && __atomic_load_n(&Made, __ATOMIC_ACQUIRE); }

static struct fhi_record *first(void) {
  struct fhi_record *record = __atomic_load_n(&Made, __ATOMIC_ACQUIRE) ? pthread_getspecific(Key) : NULL;
  return record && Stored ? record : NULL;
}

struct fhi_record *fhi_own_find(const fh_globals_t *engine) {
  struct fhi_record *record = first();
  while (record && record->engine != engine)
    record = record->same_thread;
  return record;
}

bool fhi_own_add(struct fhi_record *record) {
  record->same_thread = first();
  if (pthread_setspecific(Key, record) != 0)
    return false;
  Stored = true;
  return true;
}

void fhi_own_remove(struct fhi_record *record) {
  struct fhi_record *before = first();
  if (before == record) {
    pthread_setspecific(Key, record->same_thread);
    return;
  }
  while (before && before->same_thread != record)
    before = before->same_thread;
  if (before)
    before->same_thread = record->same_thread;
}
