// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// key.c - the key behind key.h.
#include "access.h"

#if FH_ACCESS == FH_KEY
pthread_key_t fhi_key;
bool fhi_key_made;

void fhi_key_store(struct fhi_self *record) {
  fhi_lock();
  if (!fhi_key_made && pthread_key_create(&fhi_key, NULL) == 0)
    // Read without the lock. Release: who sees it sees the key; x86-64 loads are in order.
    __atomic_store_n(&fhi_key_made, true, __ATOMIC_RELEASE);
  fhi_unlock();
  // A free may be what made the heap, perhaps at the thread's very end: nothing is allocated here.
  if (fhi_key_made && fhi_key < FHI_KEYS_WITHOUT_MEMORY && pthread_getspecific(fhi_key) != record)
    pthread_setspecific(fhi_key, record);
}
#endif
