// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flexible.h - libfreehold.so: the instructions of initial-exec where the loader has room in static TLS, and still a library that
// loads where it has none.
//
// Initial-exec is two loads, the variable's offset from the GOT and the variable at %fs, but a library with it is refused when
// static TLS is used up. TLSDESC is never refused, but calls a function that returns the offset. So fhi_self(), which the slow
// paths use, is TLSDESC; and when it is seen that the loader found room (then the offset is the same in every thread) the offset
// is put where fhi_self_fast() loads it, as it would be loaded from the GOT. Fast paths compare sizes and addresses with limits
// anyway: these are in memory here and zero until the offset is known, so that without it no fast path is ever entered, at no
// instruction more.
extern FHI_EXPORT _Thread_local struct fhi_self *fh_heads_base __attribute__((tls_model("global-dynamic")));

struct fhi_fast {
  size_t small;                 // FH_SMALL_MAX
  uintptr_t pages, local_pages; // how many 64 KiB pages the two ranges have, and the local one
  intptr_t offset;              // of fh_heads_base from the thread pointer
};
extern FHI_HIDDEN struct fhi_fast fhi_fast;

#define FHI_FAST_SMALL fhi_fast.small
#define FHI_FAST_PAGES fhi_fast.pages
#define FHI_FAST_LOCAL_PAGES fhi_fast.local_pages
#define FHI_MAY_LACK_FAST_PATHS

static inline struct fhi_self *fhi_self(void) { return fh_heads_base; }

// Behind a limit that let it pass.
static inline struct fhi_self *fhi_self_fast(void) {
  __asm__ volatile("" ::: "memory"); // not before the limit was read; pairs with the one in fhi_fast_start()
  return *(struct fhi_self * __seg_fs *)fhi_fast.offset;
}

FHI_HIDDEN void fhi_fast_start(void);

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) {
  (void)line;
  *record = fhi_no_self;
  fh_heads_base = record;
  if (fhi_fast.small == 0)
    fhi_fast_start();
  return true;
}

static inline void fhi_self_settle(void) {}

static inline void fhi_self_drop(struct fhi_self *record) { (void)record; }
