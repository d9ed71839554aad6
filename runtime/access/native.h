// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// native.h - libraries: one thread-local pointer to the thread's record, reached in one of the four ways that ELF knows. The
// source is the same; FHI_TLS_MODEL (and for TLSDESC the option -mtls-dialect=gnu2) decides what is generated:
//
//   initial-exec    a load through the GOT, a load from the thread. Takes 8 bytes of static TLS: a late dlopen fails where the
//                   loader has none left.
//   TLSDESC         a call of what the loader chose for this process: an offset if there was room in static TLS, else a look-up.
//                   The call keeps all registers but one.
//   local-dynamic   a call of __tls_get_addr for the library's block, then a constant.
//   global-dynamic  a call of __tls_get_addr for the variable.
//
// Blocks of the last two, and of TLSDESC without static TLS, come from the loader's own allocator, never from ours.
#if FH_ACCESS == FH_INITIAL_EXEC
#define FHI_TLS_MODEL "initial-exec"
#elif FH_ACCESS == FH_LOCAL_DYNAMIC
#define FHI_TLS_MODEL "local-dynamic"
#else
#define FHI_TLS_MODEL "global-dynamic"
#endif

// What inlined code in other libraries refers to.
extern FHI_EXPORT _Thread_local struct fhi_self *fh_heads_base __attribute__((tls_model(FHI_TLS_MODEL)));

#if FH_ACCESS == FH_LOCAL_DYNAMIC
// The same variable by a name that nobody can interpose: only then the loader need not be asked for it by name.
extern FHI_HIDDEN _Thread_local struct fhi_self *fhi_heads_base __attribute__((tls_model(FHI_TLS_MODEL)));
#define FHI_OWN_BASE fhi_heads_base
#else
#define FHI_OWN_BASE fh_heads_base
#endif

static inline struct fhi_self *fhi_self(void) { return FHI_OWN_BASE; }

static inline bool fhi_self_make(struct fhi_self *record, const fhi_lifeline_t *line) {
  (void)line;
  *record = fhi_no_self;
  FHI_OWN_BASE = record;
  return true;
}

static inline void fhi_self_settle(void) {}

static inline void fhi_self_drop(struct fhi_self *record) { (void)record; }
