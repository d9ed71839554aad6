// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// table.h - no thread-local storage of any kind: the record is found by the thread's id (pthread_self) in a hash table without a
// limit on its size. Looking up takes no lock; see table.c for why what it finds is always right.
FHI_HIDDEN struct fhi_self *fhi_table_find(void);
FHI_HIDDEN bool fhi_table_make(struct fhi_self *record, const fhi_lifeline_t *line);
FHI_HIDDEN void fhi_table_drop(struct fhi_self *record);

#if FH_ACCESS == FH_TABLE
static inline struct fhi_self *fhi_self(void) { return fhi_table_find(); }

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) { return fhi_table_make(record, line); }

static inline void fhi_self_settle(void) {}
#endif

static inline void fhi_self_drop(struct fhi_self *record) { fhi_table_drop(record); }
