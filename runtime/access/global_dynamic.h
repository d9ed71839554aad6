// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// global_dynamic.h - shared libraries where not even 8 bytes of static TLS are left: every access asks the loader
// (__tls_get_addr), which costs about 11 cycles more a call than initial-exec. The loader's blocks come from its own allocator,
// never from ours.
extern FHI_EXPORT _Thread_local struct fhi_self *fh_heads_base __attribute__((tls_model("global-dynamic")));

static inline struct fhi_self *fhi_self(void) { return fh_heads_base; }

static inline void fhi_self_make(struct fhi_self *record) {
  *record = fhi_no_self;
  fh_heads_base = record;
}
