/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals/tsrm_access.h - TSRM's access macros, for tsrm.h. A token that the layout has becomes a constant, any other one stays
 * the run-time variable it is; both come out of the macro FH_TSRM_AT.
 */
#ifndef FREEHOLD_GLOBALS_TSRM_ACCESS_H
#define FREEHOLD_GLOBALS_TSRM_ACCESS_H

/* What extensions that were compiled against PHP's own headers load. Set in every mode. */
#define TSRMLS_CACHE _tsrm_ls_cache
#ifdef __cplusplus
extern "C" {
#endif
FH_GLOBALS_DECLARE(tsrm);
extern FH_GLOBALS_VARIABLE_ TSRM_TLS void *TSRMLS_CACHE;
#ifdef __cplusplus
}
#endif
#define TSRM_TLS_MODEL_ATTR FH_GLOBALS_TLS_MODEL
#if defined(FH_GLOBALS_TLS_DYNAMIC)
#define TSRM_TLS_MODEL_DEFAULT
#elif FH_GLOBALS_IN_LIBRARY
#define TSRM_TLS_MODEL_INITIAL_EXEC
#else
#define TSRM_TLS_MODEL_LOCAL_EXEC
#endif
/* The engine has a symbol whose name tells layout and mode. Extensions ask for it, so that the loader refuses one that was
   compiled with others: "undefined symbol: fh_layout_of_other_headers_rebuild_...". */
#ifdef FH_LAYOUT_tsrm_SYMBOL
#define FH_TSRM_SYMBOL_3_(layout, mode) layout##_mode##mode
#define FH_TSRM_SYMBOL_2_(layout, mode) FH_TSRM_SYMBOL_3_(layout, mode)
#define FH_TSRM_SYMBOL_(mode) FH_TSRM_SYMBOL_2_(FH_LAYOUT_tsrm_SYMBOL, mode)
FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ const char FH_TSRM_SYMBOL_(FH_GLOBALS_MODE);
#define TSRMLS_CACHE_DEFINE() static const char *const fh_tsrm_layout_ __attribute__((used)) = &FH_TSRM_SYMBOL_(FH_GLOBALS_MODE);
#if FH_GLOBALS_ALSO_
FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ const char FH_TSRM_SYMBOL_(FH_GLOBALS_ALSO_);
#define FH_TSRM_DEFINE_SYMBOL_() const char FH_TSRM_SYMBOL_(FH_GLOBALS_MODE) = 1, FH_TSRM_SYMBOL_(FH_GLOBALS_ALSO_) = 1;
#else
#define FH_TSRM_DEFINE_SYMBOL_() const char FH_TSRM_SYMBOL_(FH_GLOBALS_MODE) = 1;
#endif
#else
#define TSRMLS_CACHE_DEFINE()
#define FH_TSRM_DEFINE_SYMBOL_()
#endif
/* There is one cache, and it is always up to date. */
#define TSRMLS_MAIN_CACHE_EXTERN()
#define TSRMLS_MAIN_CACHE_DEFINE()
#define TSRMLS_CACHE_EXTERN()
#define TSRMLS_CACHE_UPDATE() ((void)0)

/* ---- Bases: of code that is given the context in modes passed and classic, and of code that never is ---- */
#if FH_GLOBALS_MODE == FH_GLOBALS_STATIC
#define FH_TSRM_BASE_STATIC ((char *)FH_GLOBALS_CHECKED_(tsrm, NULL, fh_globals_block_tsrm))
#elif FH_GLOBALS_MODE == FH_GLOBALS_GS
#define FH_TSRM_BASE_STATIC ((char *)FH_GLOBALS_CHECKED_(tsrm, NULL, fh_globals_gs_base()))
#elif FH_GLOBALS_HAS_CONTEXT
#define FH_TSRM_BASE_STATIC ((char *)FH_GLOBALS_CHECKED_(tsrm, NULL, tsrm_get_ls_cache()))
#else
#define FH_TSRM_BASE_STATIC ((char *)FH_GLOBALS_CHECKED_(tsrm, NULL, TSRMLS_CACHE))
#endif
#if FH_GLOBALS_HAS_CONTEXT
#define FH_TSRM_BASE ((char *)FH_GLOBALS_CHECKED_(tsrm, tsrm_ls, tsrm_ls))
#else
#define FH_TSRM_BASE FH_TSRM_BASE_STATIC
#endif

/* A layout's token has a macro FH_TSRM_PLACE_token, "~, offset", which puts the offset second; another one's name stays one
   argument, and the token itself is second. */
#define FH_TSRM_AT(token) FH_GLOBALS_SECOND(FH_TSRM_PLACE_##token, token, ~)

#define FH_TSRM_ENTRY(base, id, type) ((type)(*(void ***)(void *)(base))[TSRM_UNSHUFFLE_RSRC_ID(id)])

#define TSRMG_FAST_BULK(token, type) ((type)(void *)(FH_TSRM_BASE + FH_TSRM_AT(token)))
#define TSRMG_FAST(token, type, element) (((type)(void *)(FH_TSRM_BASE + FH_TSRM_AT(token)))->element)
#define TSRMG_FAST_BULK_STATIC(token, type) ((type)(void *)(FH_TSRM_BASE_STATIC + FH_TSRM_AT(token)))
#define TSRMG_FAST_STATIC(token, type, element) (((type)(void *)(FH_TSRM_BASE_STATIC + FH_TSRM_AT(token)))->element)

/* ---- What TSRMG_D defines: reached as the RFC of 2008 has it, through a variable with its name ----
   TSRMG_DH(type, id);  in a header;  TSRMG_D(type, id);  in one file;  TSRMG_ALLOCATE(id, size, ctor, dtor)  at start

   static, in an executable      id_globals: the struct itself, a thread-local variable
   passed, in an executable      id_offset: where it lies in every thread block, fixed before main begins
   static, gs, cached, pointer   id_pointer: a thread-local pointer to it, set for every thread that has it
   else                          the table of ids

   An executable's modules find its id_pointer, so it is there in mode static too. TSRMG tells ids that were declared so from
   plain ones by their alignment, which a plain id does not have: it is known to the compiler, and a plain id's way is the
   table's. The names are declared where they are used, since those of plain ids are not there, and by their symbol, since that
   may be in a namespace. */
#define FH_TSRM_DECLARED_ __attribute__((aligned(32)))
#define FH_TSRM_IS_DECLARED_(id) (__alignof__(id) == 32)
#if FH_GLOBALS_HAS_CONTEXT
#define FH_TSRM_HAS_POINTERS_ 0
#else
#define FH_TSRM_HAS_POINTERS_ 1
#endif
#if defined(FH_GLOBALS_TLS_DYNAMIC)
#define FH_TSRM_MODE_ FH_GLOBALS_MODE
#else
#define FH_TSRM_MODE_ (FH_GLOBALS_MODE | FH_GLOBALS_FIXED)
#endif
#define FH_TSRM_POINTER_(id) TSRM_TLS void *id##_pointer __asm__(#id "_pointer") FH_GLOBALS_VARIABLE_
#define FH_TSRM_GLOBALS_(id, bounds)                                                                                             \
  TSRM_TLS char id##_globals bounds __asm__(#id "_globals") __attribute__((aligned(FH_GLOBALS_ALIGNMENT))) FH_GLOBALS_VARIABLE_
#define FH_TSRM_OFFSET_OF_(id) ptrdiff_t id##_offset __asm__(#id "_offset") FH_GLOBALS_LOCAL_

#if FH_GLOBALS_MODE == FH_GLOBALS_STATIC && !FH_GLOBALS_IN_LIBRARY
#define FH_TSRM_NATIVE_WAY_(id)                                                                                                  \
  (__extension__({                                                                                                               \
    extern FH_TSRM_GLOBALS_(id, []);                                                                                             \
    (void)FH_GLOBALS_CHECKED_(tsrm, NULL, NULL);                                                                                 \
    (void *)id##_globals;                                                                                                        \
  }))
#elif FH_GLOBALS_MODE == FH_GLOBALS_PASSED && !FH_GLOBALS_IN_LIBRARY
#define FH_TSRM_NATIVE_WAY_(id)                                                                                                  \
  (__extension__({                                                                                                               \
    extern FH_TSRM_OFFSET_OF_(id);                                                                                               \
    (void *)(FH_TSRM_BASE + id##_offset);                                                                                        \
  }))
#elif FH_TSRM_HAS_POINTERS_ && defined(__linux__) && !defined(FH_GLOBALS_TLS_DYNAMIC)
#define FH_TSRM_NATIVE_WAY_(id)                                                                                                  \
  (__extension__({                                                                                                               \
    extern FH_TSRM_POINTER_(id);                                                                                                 \
    (void)FH_GLOBALS_CHECKED_(tsrm, NULL, NULL);                                                                                 \
    id##_pointer;                                                                                                                \
  }))
#elif FH_GLOBALS_MODE == FH_GLOBALS_POINTER
#define FH_TSRM_NATIVE_WAY_(id)                                                                                                  \
  (__extension__({                                                                                                               \
    extern FH_TSRM_POINTER_(id);                                                                                                 \
    (void)FH_GLOBALS_CHECKED_(tsrm, NULL, NULL);                                                                                 \
    __builtin_expect(id##_pointer != NULL, 1) ? id##_pointer : fh_globals_point(&fh_globals_tsrm, id, &id##_pointer);            \
  }))
#endif
#if defined(FREEHOLD_TSRM_BY_ID) || !defined(FH_TSRM_NATIVE_WAY_)
#define TSRMG_BULK(id, type) FH_TSRM_ENTRY(FH_TSRM_BASE, id, type)
#else
#define TSRMG_BULK(id, type) FH_TSRM_BULK_(id, type) /* of what id expands to */
#define FH_TSRM_BULK_(id, type) (FH_TSRM_IS_DECLARED_(id) ? (type)FH_TSRM_NATIVE_WAY_(id) : FH_TSRM_ENTRY(FH_TSRM_BASE, id, type))
#endif
#define TSRMG(id, type, element) (TSRMG_BULK(id, type)->element)
#define TSRMG_BULK_STATIC(id, type) FH_TSRM_ENTRY(FH_TSRM_BASE_STATIC, id, type)
#define TSRMG_STATIC(id, type, element) (TSRMG_BULK_STATIC(id, type)->element)

/* Parts of TSRMG_D: the variables of a mode, and what fh_tsrm_declared_t says of them */
#if FH_GLOBALS_MODE == FH_GLOBALS_STATIC && !FH_GLOBALS_IN_LIBRARY
#define FH_TSRM_DEFINE_GLOBALS_(type, id)                                                                                        \
  extern FH_TSRM_GLOBALS_(id, [sizeof(*(type)0)]);                                                                               \
  FH_TSRM_GLOBALS_(id, [sizeof(*(type)0)]);                                                                                      \
  static void *id##_globals_of(void) { return id##_globals; }
#define FH_TSRM_PLACE_OF_(type, id) sizeof(*(type)0), id##_globals_of, NULL
#elif FH_GLOBALS_MODE == FH_GLOBALS_PASSED && !FH_GLOBALS_IN_LIBRARY
#define FH_TSRM_DEFINE_GLOBALS_(type, id)                                                                                        \
  extern FH_TSRM_OFFSET_OF_(id);                                                                                                 \
  FH_TSRM_OFFSET_OF_(id);
#define FH_TSRM_PLACE_OF_(type, id) sizeof(*(type)0), NULL, &id##_offset
#else
#define FH_TSRM_DEFINE_GLOBALS_(type, id)
#define FH_TSRM_PLACE_OF_(type, id) 0, NULL, NULL
#endif
#if FH_TSRM_HAS_POINTERS_
#define FH_TSRM_DEFINE_POINTER_(id)                                                                                              \
  extern FH_TSRM_POINTER_(id);                                                                                                   \
  FH_TSRM_POINTER_(id);                                                                                                          \
  static void **id##_pointer_of(void) { return &id##_pointer; }
#define FH_TSRM_POINTER_OF_(id) id##_pointer_of
#else
#define FH_TSRM_DEFINE_POINTER_(id)
#define FH_TSRM_POINTER_OF_(id) NULL
#endif
#define TSRMG_DH(type, id) FH_GLOBALS_C_ TSRM_API ts_rsrc_id id FH_TSRM_DECLARED_
#define TSRMG_D(type, id) FH_TSRM_D_(type, id)
#define FH_TSRM_D_(type, id)                                                                                                     \
  FH_TSRM_DEFINE_GLOBALS_(type, id)                                                                                              \
  FH_TSRM_DEFINE_POINTER_(id)                                                                                                    \
  extern ts_rsrc_id id FH_TSRM_DECLARED_;                                                                                        \
  static fh_tsrm_declared_t id##_declared = {                                                                                    \
      &id, #id, FH_TSRM_MODE_, FH_TSRM_PLACE_OF_(type, id), FH_TSRM_POINTER_OF_(id), NULL};                                      \
  __attribute__((constructor(101))) static void id##_declare(void) { fh_tsrm_declare(&id##_declared); }                          \
  __attribute__((destructor(101))) static void id##_withdraw(void) { fh_tsrm_undeclare(&id##_declared); }                        \
  ts_rsrc_id id FH_TSRM_DECLARED_
#define TSRMG_ALLOCATE(id, size, ctor, dtor) ts_allocate_id(&id, size, ctor, dtor)

/* The parameter: PASS_TSRMLS is defined where there is one. */
#if FH_GLOBALS_HAS_CONTEXT
#define PASS_TSRMLS 1
#define TSRMLS_D void ***tsrm_ls
#define TSRMLS_DC , TSRMLS_D
#define TSRMLS_C tsrm_ls
#define TSRMLS_CC , TSRMLS_C
#define TSRMLS_FETCH() void ***tsrm_ls = (void ***)ts_resource_ex(0, NULL)
#define TSRMLS_FETCH_FROM_CTX(context) void ***tsrm_ls = (void ***)(context)
#define TSRMLS_SET_CTX(context) context = (void ***)tsrm_ls
#else
#define TSRMLS_D void
#define TSRMLS_DC
#define TSRMLS_C
#define TSRMLS_CC
#define TSRMLS_FETCH()
#define TSRMLS_FETCH_FROM_CTX(context)
#define TSRMLS_SET_CTX(context)
#endif
/* Once in each thread, before its first access: it has its resources then. */
#define TSRMLS_INIT() ((void)ts_resource_ex(0, NULL))

/* ---- The engine's own ----
   FH_TSRM_DEFINE();  in one file of the engine, compiled as the engine is */
#if FH_GLOBALS_MODE == FH_GLOBALS_STATIC
#define FH_TSRM_DEFINE_BLOCK_() FH_GLOBALS_DEFINE_BASE_(tsrm)
#define FH_TSRM_NATIVE_ fh_globals_native_tsrm
#elif FH_GLOBALS_MODE == FH_GLOBALS_CACHED
#define FH_TSRM_DEFINE_BLOCK_() FH_GLOBALS_TLS fh_globals_block_t *fh_globals_cache_tsrm FH_GLOBALS_TLS_MODEL;
#define FH_TSRM_NATIVE_ NULL
#else
#define FH_TSRM_DEFINE_BLOCK_()
#define FH_TSRM_NATIVE_ NULL
#endif
#if defined(TSRM_TLS_MODEL_DEFAULT)
#define FH_TSRM_OFFSET_() 0
#elif defined(__x86_64__)
#define FH_TSRM_OFFSET_() fh_tsrm_from_thread_pointer(&TSRMLS_CACHE)
static inline size_t fh_tsrm_from_thread_pointer(const void *variable) {
  char *thread_pointer;
  __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
  return (size_t)((const char *)variable - thread_pointer);
}
#elif defined(__aarch64__)
#define FH_TSRM_OFFSET_() ((size_t)((char *)&TSRMLS_CACHE - (char *)__builtin_thread_pointer()))
#else
#define FH_TSRM_OFFSET_() 0
#endif
#ifndef FREEHOLD_TSRM_NAME
#define FREEHOLD_TSRM_NAME "TSRM"
#endif
#define FH_TSRM_DEFINE()                                                                                                         \
  FH_GLOBALS_DEFINE_FRONT_(tsrm)                                                                                                 \
  FH_TSRM_DEFINE_BLOCK_()                                                                                                        \
  FH_TSRM_DEFINE_SYMBOL_()                                                                                                       \
  TSRM_TLS void *TSRMLS_CACHE FH_GLOBALS_TLS_MODEL;                                                                              \
  static fh_globals_block_t **fh_tsrm_cache(void) { return (fh_globals_block_t **)(void *)&TSRMLS_CACHE; }                       \
  void *tsrm_get_ls_cache(void) {                                                                                                \
    fh_globals_block_t *block = (fh_globals_block_t *)TSRMLS_CACHE;                                                              \
    return block && __atomic_load_n(&block->owner, __ATOMIC_ACQUIRE) ? block : NULL; /* no owner: shut down */                   \
  }                                                                                                                              \
  size_t tsrm_get_ls_cache_tcb_offset(void) { return FH_TSRM_OFFSET_(); }                                                        \
  static const fh_globals_slot_t fh_tsrm_slots[] = {FH_LAYOUT_tsrm(FH_GLOBALS_SLOT_){NULL, 0, 0}};                               \
  fh_globals_t fh_globals_tsrm = {                                                                                               \
      FH_GLOBALS_VERSION,     FH_GLOBALS_MODE,     FH_GLOBALS_ALSO_, FREEHOLD_TSRM_NAME, fh_tsrm_slots,                          \
      FH_LAYOUT_tsrm_RESERVE, FH_LAYOUT_tsrm_SIZE, FH_TSRM_NATIVE_,  fh_tsrm_cache,      {0}}

#endif
