// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// table.h - no thread-local storage of any kind: the record is found by the thread's id (pthread_self) in a hash table without a
// limit on its size. Looking up takes no lock; see table.c for why what it finds is always right.
#include <stdatomic.h>

FHI_HIDDEN struct fhi_self *fhi_table_find(void);
FHI_HIDDEN bool fhi_table_make(struct fhi_self *record, const fhi_lifeline_t *line);
FHI_HIDDEN void fhi_table_drop(struct fhi_self *record);

// Is it the record of the caller, whose id that is? Any record that ever was one may be asked; why the answer is right: table.c.
static inline bool fhi_is_callers(const struct fhi_self *record, uintptr_t id) {
  if (atomic_load_explicit(&record->owner, memory_order_acquire) != id || !fhi_lifeline_held(record->line))
    return false;
  // fhi_lifeline_held acquires: if another thread holds it now, that thread's fhi_table_drop is seen here.
  return atomic_load_explicit(&record->owner, memory_order_relaxed) == id;
}

#if FH_ACCESS == FH_TABLE
static inline struct fhi_self *fhi_self(void) { return fhi_table_find(); }

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) { return fhi_table_make(record, line); }

static inline void fhi_self_settle(void) {}
#endif

static inline void fhi_self_drop(struct fhi_self *record) { fhi_table_drop(record); }
