// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// local_exec.h - executables. The record lies in the executable's own thread-local storage: %fs:constant, no load at all.
// fh_heads_base is there for libraries built with Freehold in the same process: they use the executable's heap.
extern FHI_EXPORT _Thread_local struct fhi_self fh_heads __attribute__((tls_model("local-exec")));
extern FHI_EXPORT _Thread_local struct fhi_self *fh_heads_base __attribute__((tls_model("local-exec")));

static inline struct fhi_self *fhi_self(void) { return &fh_heads; }

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) {
  (void)record;
  (void)line;
  fh_heads_base = &fh_heads;
  return true;
}

static inline void fhi_self_settle(void) {}

static inline void fhi_self_drop(struct fhi_self *record) { (void)record; }
