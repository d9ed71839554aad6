// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// initial_exec.h - shared libraries. One pointer of static TLS, a load through the GOT and one from the thread; exactly 8 bytes
// of the loader's surplus, so that a late dlopen works wherever any initial-exec library does.
extern FHI_EXPORT _Thread_local struct fhi_self *fh_heads_base __attribute__((tls_model("initial-exec")));

static inline struct fhi_self *fhi_self(void) { return fh_heads_base; }

static inline void fhi_self_make(struct fhi_self *record) {
  *record = fhi_no_self;
  fh_heads_base = record;
}
