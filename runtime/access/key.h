// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// key.h - pthread_getspecific. The key's value is missing in a thread that is ending, whose values the C library takes away
// before its last destructors; and it may be another's: glibc gives stacks to new threads, and clears no value that was stored
// after the destructors, or by a thread that ended without. So it is believed only if the record is the caller's. Else, and where
// there is no key whose value can be stored without memory, the table answers.
#include "table.h"

extern FHI_HIDDEN pthread_key_t fhi_key;
extern FHI_HIDDEN bool fhi_key_made;
FHI_HIDDEN void fhi_key_store(struct fhi_self *record);

static inline struct fhi_self *fhi_self(void) {
  struct fhi_self *self = FHI_LIKELY(fhi_key_made) ? pthread_getspecific(fhi_key) : NULL;
  return FHI_LIKELY(self != NULL) && FHI_LIKELY(fhi_is_callers(self, (uintptr_t)pthread_self())) ? self : fhi_table_find();
}

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) { return fhi_table_make(record, line); }

static inline void fhi_self_settle(void) { fhi_key_store(fhi_self()); }
