// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// own.c - which records a thread has, by one key of the process. Its destructor ends a thread that ends without a word, while its
// thread-local variables are still there.
#include "globals.h"

pthread_key_t fhi_key;
bool fhi_key_made; // read without a lock
#ifndef FREEHOLD_GLOBALS_EMULATED_TLS
_Thread_local bool fhi_key_has_value;
#endif
static pthread_once_t Once = PTHREAD_ONCE_INIT;

static void at_thread_exit(void *value) {
  struct fhi_record *record = value;
  if (!fhi_key_stored())
    return;
  // Other keys' destructors may still use the globals: they get a round first.
  if (!record->deferred) {
    record->deferred = true;
    if (pthread_setspecific(fhi_key, record) == 0)
      return;
  }
  // Destructors find their block by the key, and what ends is taken off it.
  pthread_setspecific(fhi_key, record);
  while ((record = pthread_getspecific(fhi_key)) != NULL)
    fhi_record_end(record);
}

static void make_key(void) {
  // Release: who sees it sees the key.
  __atomic_store_n(&fhi_key_made, pthread_key_create(&fhi_key, at_thread_exit) == 0, __ATOMIC_RELEASE);
}

// When the library is unloaded threads may remain that would call the destructor at their end.
__attribute__((destructor)) static void at_unload(void) {
  if (__atomic_exchange_n(&fhi_key_made, false, __ATOMIC_ACQ_REL))
    pthread_key_delete(fhi_key);
}

bool fhi_own_start(void) { return pthread_once(&Once, make_key) == 0 && __atomic_load_n(&fhi_key_made, __ATOMIC_ACQUIRE); }

bool fhi_own_add(struct fhi_record *record) {
  record->same_thread = fhi_own_first();
  if (pthread_setspecific(fhi_key, record) != 0)
    return false;
  fhi_key_store();
  return true;
}

void fhi_own_remove(struct fhi_record *record) {
  struct fhi_record *before = fhi_own_first();
  if (before == record) {
    pthread_setspecific(fhi_key, record->same_thread);
    return;
  }
  while (before && before->same_thread != record)
    before = before->same_thread;
  if (before)
    before->same_thread = record->same_thread;
}
