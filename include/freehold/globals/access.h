/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals/access.h - the macros that declare, define and reach globals, in the mode of globals/mode.h.
 *
 * Names: ENGINE is a word of the engine's choice, of which `fh_globals_ENGINE` (the engine's fh_globals_t) and
 * `FH_LAYOUT_ENGINE...` (the generated layout) are made. RESOURCE is a line of the layout; MODULE is a resource that the layout
 * does not have.
 */
#ifndef FREEHOLD_GLOBALS_ACCESS_H
#define FREEHOLD_GLOBALS_ACCESS_H

#define FH_GLOBALS_EXPORT_ __attribute__((visibility("default")))
#define FH_GLOBALS_LOCAL_ __attribute__((visibility("hidden")))
#ifdef __cplusplus
#define FH_GLOBALS_C_ extern "C"
#else
#define FH_GLOBALS_C_ extern
#endif
#define FH_GLOBALS_UNUSED_ __attribute__((unused)) /* a file may define a resource and not register it */
/* Definitions say the model again: gcc forgets what the declaration said, and calls __tls_get_addr in the file that has both. */
#define FH_GLOBALS_VARIABLE_ FH_GLOBALS_EXPORT_ FH_GLOBALS_TLS_MODEL

/* ---- The context: a parameter in modes passed and classic, nothing in the others ----
   void run(FH_GLOBALS_D);  int call(int n FH_GLOBALS_DC);  run(FH_GLOBALS_C);  call(1 FH_GLOBALS_CC);
   FH_GLOBALS_FETCH(engine);         in a function that was not given it: a declaration of the context, made by a call
   FH_GLOBALS_FETCH_FROM(context);   the same from a pointer that somebody kept (FH_GLOBALS_KEPT(engine)) */
#if FH_GLOBALS_HAS_CONTEXT
#define FH_GLOBALS_D fh_globals_block_t *fh_context
#define FH_GLOBALS_DC , FH_GLOBALS_D
#define FH_GLOBALS_C fh_context
#define FH_GLOBALS_CC , FH_GLOBALS_C
#define FH_GLOBALS_FETCH(ENGINE) fh_globals_block_t *fh_context = fh_globals_fetch(&fh_globals_##ENGINE)
#define FH_GLOBALS_FETCH_FROM(POINTER) fh_globals_block_t *fh_context = (fh_globals_block_t *)(POINTER)
#define FH_GLOBALS_KEPT(ENGINE) ((void *)fh_context)
#else
#define FH_GLOBALS_D void
#define FH_GLOBALS_DC
#define FH_GLOBALS_C
#define FH_GLOBALS_CC
#define FH_GLOBALS_FETCH(ENGINE) ((void)0)
#define FH_GLOBALS_FETCH_FROM(POINTER) ((void)(POINTER))
#define FH_GLOBALS_KEPT(ENGINE) NULL
#endif

/* ---- The checked build, for tests ----
   -DFREEHOLD_GLOBALS_CHECKED=1: each access asks first whether the block is the calling thread's own, and stops the process with
   a line if not. Files compiled with it and without it go together. */
#ifdef FREEHOLD_GLOBALS_CHECKED
#define FH_GLOBALS_CHECKED_(ENGINE, CONTEXT, PLAIN) fh_globals_checked(&fh_globals_##ENGINE, FH_GLOBALS_MODE, CONTEXT)
#else
#define FH_GLOBALS_CHECKED_(ENGINE, CONTEXT, PLAIN) (PLAIN)
#endif

/* ---- The base: where the calling thread's block begins ----
   Kept in a register between accesses. */
#if FH_GLOBALS_MODE == FH_GLOBALS_STATIC
#define FH_GLOBALS_DECLARE_BASE_(ENGINE)                                                                                         \
  FH_GLOBALS_C_ FH_GLOBALS_VARIABLE_ FH_GLOBALS_TLS char fh_globals_block_##ENGINE[]                                             \
      __attribute__((aligned(FH_GLOBALS_ALIGNMENT)));
#define FH_GLOBALS_DEFINE_BASE_(ENGINE)                                                                                          \
  FH_GLOBALS_TLS char fh_globals_block_##ENGINE[FH_LAYOUT_##ENGINE##_SIZE]                                                       \
      __attribute__((aligned(FH_GLOBALS_ALIGNMENT))) FH_GLOBALS_TLS_MODEL;                                                       \
  static fh_globals_block_t *fh_globals_native_##ENGINE(void) { return (fh_globals_block_t *)(void *)fh_globals_block_##ENGINE; }
#define FH_GLOBALS_NATIVE_(ENGINE) fh_globals_native_##ENGINE
#define FH_GLOBALS_CACHE_(ENGINE) NULL
#define FH_GLOBALS_BASE(ENGINE) ((char *)FH_GLOBALS_CHECKED_(ENGINE, NULL, fh_globals_block_##ENGINE))
#elif FH_GLOBALS_MODE == FH_GLOBALS_CACHED
#define FH_GLOBALS_DECLARE_BASE_(ENGINE)                                                                                         \
  FH_GLOBALS_C_ FH_GLOBALS_VARIABLE_ FH_GLOBALS_TLS fh_globals_block_t *fh_globals_cache_##ENGINE;
#define FH_GLOBALS_DEFINE_BASE_(ENGINE)                                                                                          \
  FH_GLOBALS_TLS fh_globals_block_t *fh_globals_cache_##ENGINE FH_GLOBALS_TLS_MODEL;                                             \
  static fh_globals_block_t **fh_globals_cache_of_##ENGINE(void) { return &fh_globals_cache_##ENGINE; }
#define FH_GLOBALS_NATIVE_(ENGINE) NULL
#define FH_GLOBALS_CACHE_(ENGINE) fh_globals_cache_of_##ENGINE
#define FH_GLOBALS_LOAD_BASE_(ENGINE) ((char *)FH_GLOBALS_CHECKED_(ENGINE, NULL, fh_globals_cache_##ENGINE))
#else
#define FH_GLOBALS_DECLARE_BASE_(ENGINE)
#define FH_GLOBALS_DEFINE_BASE_(ENGINE)
#define FH_GLOBALS_NATIVE_(ENGINE) NULL
#define FH_GLOBALS_CACHE_(ENGINE) NULL
#if FH_GLOBALS_HAS_CONTEXT
#define FH_GLOBALS_BASE(ENGINE) ((char *)FH_GLOBALS_CHECKED_(ENGINE, fh_context, fh_context))
#elif FH_GLOBALS_MODE == FH_GLOBALS_GS
/* Has the language pointers through the segment register? clang always, gcc in C unless a -std=c... leaves its extensions out. */
#if defined(__SEG_GS) && (defined(__clang__) || !(defined(__cplusplus) || defined(__STRICT_ANSI__)))
#define FH_GLOBALS_SEGMENT_ 1
#endif
/* A call may change it: it may register the thread, or switch to another block. FREEHOLD_GLOBALS_KEEPS_BASE=1 is for files where
   no function that uses globals does either, directly or not, nor asks first whether its thread is registered: the base is then
   read anywhere in a function, and kept over calls. */
#if defined(FREEHOLD_GLOBALS_KEEPS_BASE)
static inline __attribute__((always_inline)) char *fh_globals_gs_base(void) {
  char *base;
  __asm__("movq %%gs:%c1, %0" : "=r"(base) : "i"(FH_GLOBALS_SELF));
  return base;
}
#else
/* Of a type that nothing else has, so that a store to something else leaves it known. */
struct fh_globals_gs_head {
  struct fh_globals_gs_block *self;
};
#ifndef FH_GLOBALS_SEGMENT_
/* Stands for what is at %gs: a call may have changed it. There is no such variable, and no instruction names it. */
FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ struct fh_globals_gs_head fh_globals_gs_stand_in;
#endif
static inline __attribute__((always_inline)) char *fh_globals_gs_base(void) {
#ifdef FH_GLOBALS_SEGMENT_
  return (char *)((const struct fh_globals_gs_head __seg_gs *)FH_GLOBALS_SELF)->self;
#else
  char *base;
  __asm__("movq %%gs:%c1, %0" : "=r"(base) : "i"(FH_GLOBALS_SELF), "m"(fh_globals_gs_stand_in));
  return base;
#endif
}
#endif
#define FH_GLOBALS_LOAD_BASE_(ENGINE) ((char *)FH_GLOBALS_CHECKED_(ENGINE, NULL, fh_globals_gs_base()))
#else /* pointer: only where a module's resource has no pointer yet */
#define FH_GLOBALS_BASE(ENGINE) ((char *)fh_globals_fetch(&fh_globals_##ENGINE))
#endif
#endif

/* FH_GLOBALS_KEEP(engine);  from here to the end of the scope the base is what it is here, kept in a register over calls. The
   thread must be registered, and nothing in the scope may end its registration, switch its block, or run on another thread: as if
   the block were a parameter. A lambda in C++ captures it, or has one of its own. Empty in modes whose base is a constant or a
   parameter. What is kept hides, by its name, an array of one character, which is nowhere defined. */
#ifdef FH_GLOBALS_LOAD_BASE_
#define FH_GLOBALS_DECLARE_KEPT_(ENGINE) FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ char fh_globals_kept_##ENGINE[1];
#define FH_GLOBALS_BASE(ENGINE)                                                                                                  \
  (sizeof(fh_globals_kept_##ENGINE) == sizeof(char *) ? (char *)fh_globals_kept_##ENGINE : FH_GLOBALS_LOAD_BASE_(ENGINE))
#define FH_GLOBALS_KEEP(ENGINE)                                                                                                  \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")                                                  \
      FH_GLOBALS_UNUSED_ char *const fh_globals_kept_##ENGINE = FH_GLOBALS_LOAD_BASE_(ENGINE);                                   \
  _Pragma("GCC diagnostic pop") struct fh_globals_kept_ /* nothing: gcc takes a pragma only where a declaration begins */
#else
#define FH_GLOBALS_DECLARE_KEPT_(ENGINE)
#define FH_GLOBALS_KEEP(ENGINE) ((void)0)
#endif

/* ---- The engine ---- */
#if defined(FH_GLOBALS_AUTO) && FH_GLOBALS_HAS_GS
#define FH_GLOBALS_ALSO_ FH_GLOBALS_GS
#else
#define FH_GLOBALS_ALSO_ 0
#endif
/* New threads begin without their creator's base: brings what sees to that out of an archive. */
#if FH_GLOBALS_MODE == FH_GLOBALS_GS || FH_GLOBALS_ALSO_ == FH_GLOBALS_GS
FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ const char fh_globals_front;
#define FH_GLOBALS_DEFINE_FRONT_(ENGINE)                                                                                         \
  static const char *const fh_globals_front_##ENGINE __attribute__((used)) = &fh_globals_front;
#else
#define FH_GLOBALS_DEFINE_FRONT_(ENGINE)
#endif
#define FH_GLOBALS_DECLARE(ENGINE)                                                                                               \
  FH_GLOBALS_DECLARE_BASE_(ENGINE)                                                                                               \
  FH_GLOBALS_DECLARE_KEPT_(ENGINE)                                                                                               \
  FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ fh_globals_t fh_globals_##ENGINE

#define FH_GLOBALS_SLOT_(NAME, OFFSET, SIZE) {#NAME, OFFSET, SIZE},
/* In one file of the engine, after the layout and FH_GLOBALS_DECLARE. */
#define FH_GLOBALS_DEFINE(ENGINE)                                                                                                \
  FH_GLOBALS_DEFINE_FRONT_(ENGINE)                                                                                               \
  FH_GLOBALS_DEFINE_BASE_(ENGINE)                                                                                                \
  static const fh_globals_slot_t fh_globals_slots_##ENGINE[] = {FH_LAYOUT_##ENGINE(FH_GLOBALS_SLOT_){NULL, 0, 0}};               \
  fh_globals_t fh_globals_##ENGINE = {FH_GLOBALS_VERSION,        FH_GLOBALS_MODE,                                                \
                                      FH_GLOBALS_ALSO_,          #ENGINE,                                                        \
                                      fh_globals_slots_##ENGINE, FH_LAYOUT_##ENGINE##_RESERVE,                                   \
                                      FH_LAYOUT_##ENGINE##_SIZE, FH_GLOBALS_NATIVE_(ENGINE),                                     \
                                      FH_GLOBALS_CACHE_(ENGINE), {0}}

/* ---- A resource of the layout ---- */
#if FH_GLOBALS_MODE == FH_GLOBALS_POINTER
#define FH_RESOURCE_DECLARE(ENGINE, RESOURCE)                                                                                    \
  FH_GLOBALS_C_ FH_GLOBALS_VARIABLE_ FH_GLOBALS_TLS void *fh_pointer_##ENGINE##_##RESOURCE;                                      \
  FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ int fh_id_##ENGINE##_##RESOURCE
#define FH_RESOURCE_DEFINE(ENGINE, RESOURCE)                                                                                     \
  FH_GLOBALS_TLS void *fh_pointer_##ENGINE##_##RESOURCE FH_GLOBALS_TLS_MODEL;                                                    \
  FH_GLOBALS_UNUSED_ static void **fh_pointer_of_##ENGINE##_##RESOURCE(void) { return &fh_pointer_##ENGINE##_##RESOURCE; }       \
  int fh_id_##ENGINE##_##RESOURCE
#define FH_RESOURCE_POINTER_(ENGINE, RESOURCE) fh_pointer_of_##ENGINE##_##RESOURCE
#define FH_RESOURCE(ENGINE, RESOURCE, TYPE)                                                                                      \
  ((TYPE *)((void)FH_GLOBALS_CHECKED_(ENGINE, NULL, NULL), fh_pointer_##ENGINE##_##RESOURCE))
#else
#define FH_RESOURCE_DECLARE(ENGINE, RESOURCE) FH_GLOBALS_C_ FH_GLOBALS_EXPORT_ int fh_id_##ENGINE##_##RESOURCE
#define FH_RESOURCE_DEFINE(ENGINE, RESOURCE) int fh_id_##ENGINE##_##RESOURCE
#define FH_RESOURCE_POINTER_(ENGINE, RESOURCE) NULL
#if FH_GLOBALS_MODE == FH_GLOBALS_CLASSIC
#define FH_RESOURCE(ENGINE, RESOURCE, TYPE)                                                                                      \
  ((TYPE *)((fh_globals_block_t *)FH_GLOBALS_CHECKED_(ENGINE, fh_context, fh_context))->storage[fh_id_##ENGINE##_##RESOURCE - 1])
#else
#define FH_RESOURCE(ENGINE, RESOURCE, TYPE) ((TYPE *)(void *)(FH_GLOBALS_BASE(ENGINE) + FH_LAYOUT_##ENGINE##_##RESOURCE))
#endif
#endif

/* A value that other threads set, read without a lock: as __atomic_load_n(pointer, __ATOMIC_SEQ_CST), but one instruction on a
   global. gcc computes the address of a thread-local variable for its own, which takes two more. */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__cplusplus)
extern "C++" {
template <class T> static inline __attribute__((always_inline)) T fh_globals_atomic_load(const volatile T *pointer) {
  T value = *pointer;
  __asm__ volatile("" : : : "memory");
  return value;
}
}
#define FH_GLOBALS_ATOMIC_LOAD(pointer) fh_globals_atomic_load(pointer)
#elif defined(__x86_64__) || defined(__i386__)
#define FH_GLOBALS_ATOMIC_LOAD(pointer)                                                                                          \
  (__extension__({                                                                                                               \
    __typeof__(0 ? *(pointer) : *(pointer)) fh_value_ = *(const volatile __typeof__(*(pointer)) *)(pointer);                     \
    __asm__ volatile("" : : : "memory");                                                                                         \
    fh_value_;                                                                                                                   \
  }))
#else
#define FH_GLOBALS_ATOMIC_LOAD(pointer) __atomic_load_n(pointer, __ATOMIC_SEQ_CST)
#endif

/* The global itself: an lvalue, whose address may be taken and is good until the thread ends. */
#define FH_G(ENGINE, RESOURCE, TYPE, MEMBER) (FH_RESOURCE(ENGINE, RESOURCE, TYPE)->MEMBER)
/* The same where it is only read or assigned, whole: in mode gs it is then one instruction, and needs no register for the base.
   Its address cannot be passed on as an ordinary pointer, nor can a member that is an array; the compiler says so, but not where
   the address is cast, to void * or another type: look for `&`. Not for atomic built-ins. It is FH_G where the language has no
   such pointers: in g++'s C++, in gcc's C with -std=c11 instead of -std=gnu11. And under a sanitizer: one sees no access through
   a segment, and ThreadSanitizer makes an atomic one a call that forgets the segment. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FH_GLOBALS_SANITIZED_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define FH_GLOBALS_SANITIZED_ 1
#endif
#endif
#if FH_GLOBALS_MODE == FH_GLOBALS_GS && defined(FH_GLOBALS_SEGMENT_) && !defined(FH_GLOBALS_SANITIZED_) &&                       \
    !defined(FREEHOLD_GLOBALS_CHECKED)
#define FH_G_VALUE(ENGINE, RESOURCE, TYPE, MEMBER) (((TYPE __seg_gs *)(uintptr_t)FH_LAYOUT_##ENGINE##_##RESOURCE)->MEMBER)
#else
#define FH_G_VALUE(ENGINE, RESOURCE, TYPE, MEMBER) FH_G(ENGINE, RESOURCE, TYPE, MEMBER)
#endif

/* The layout that this file is compiled with, as "name offset size,...", NULL if it includes none: its macro is "~, text", which
   puts the text second. */
#define FH_GLOBALS_SECOND_(a, b, ...) b
#define FH_GLOBALS_SECOND(...) FH_GLOBALS_SECOND_(__VA_ARGS__)
#define FH_GLOBALS_LAYOUT(ENGINE) FH_GLOBALS_SECOND(FH_LAYOUT_LINES_##ENGINE, NULL, ~)

/* Its id is the variable fh_id_ENGINE_RESOURCE. Gives the id, or 0. */
#if FH_GLOBALS_MODE == FH_GLOBALS_POINTER && !defined(FH_GLOBALS_TLS_DYNAMIC)
#define FH_GLOBALS_REACHED_ (FH_GLOBALS_MODE | FH_GLOBALS_FIXED)
#else
#define FH_GLOBALS_REACHED_ FH_GLOBALS_MODE
#endif
#define FH_RESOURCE_REGISTER(ENGINE, RESOURCE, SIZE, CTOR, DTOR)                                                                 \
  fh_globals_register_one(&fh_globals_##ENGINE, #RESOURCE, SIZE, CTOR, DTOR, &fh_id_##ENGINE##_##RESOURCE, NULL,                 \
                          FH_RESOURCE_POINTER_(ENGINE, RESOURCE), FH_GLOBALS_REACHED_, FH_GLOBALS_LAYOUT(ENGINE))

/* ---- A resource that the layout does not have: a module's, loaded at any time ----
   Reached through an offset that is known at run time, 0 if it has memory of its own. The variables are the module's own. When
   the module is unloaded while its resource is registered, it is unregistered then. */
#define FH_MODULE_VARIABLES_(MODULE)                                                                                             \
  FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ int fh_id_##MODULE;                                                                            \
  FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ ptrdiff_t fh_offset_##MODULE
#define FH_MODULE_UNLOAD_(ENGINE, MODULE)                                                                                        \
  int fh_id_##MODULE;                                                                                                            \
  ptrdiff_t fh_offset_##MODULE;                                                                                                  \
  __attribute__((destructor)) static void fh_unload_##MODULE(void) {                                                             \
    fh_globals_unloading(&fh_globals_##ENGINE, fh_id_##MODULE);                                                                  \
  }                                                                                                                              \
  FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ int fh_id_##MODULE
#if FH_GLOBALS_MODE == FH_GLOBALS_POINTER
#define FH_MODULE_DECLARE(ENGINE, MODULE)                                                                                        \
  FH_GLOBALS_C_ FH_GLOBALS_LOCAL_ FH_GLOBALS_TLS void *fh_pointer_##MODULE;                                                      \
  FH_MODULE_VARIABLES_(MODULE)
#define FH_MODULE_DEFINE(ENGINE, MODULE)                                                                                         \
  FH_GLOBALS_TLS void *fh_pointer_##MODULE;                                                                                      \
  FH_GLOBALS_UNUSED_ static void **fh_pointer_of_##MODULE(void) { return &fh_pointer_##MODULE; }                                 \
  FH_MODULE_UNLOAD_(ENGINE, MODULE)
#define FH_MODULE_POINTER_(MODULE) fh_pointer_of_##MODULE
#define FH_MODULE(ENGINE, MODULE, TYPE)                                                                                          \
  ((TYPE *)(__builtin_expect(((void)FH_GLOBALS_CHECKED_(ENGINE, NULL, NULL), fh_pointer_##MODULE) != NULL, 1)                    \
                ? fh_pointer_##MODULE                                                                                            \
                : fh_globals_point(&fh_globals_##ENGINE, fh_id_##MODULE, &fh_pointer_##MODULE)))
#else
#define FH_MODULE_DECLARE(ENGINE, MODULE) FH_MODULE_VARIABLES_(MODULE)
#define FH_MODULE_DEFINE(ENGINE, MODULE) FH_MODULE_UNLOAD_(ENGINE, MODULE)
#define FH_MODULE_POINTER_(MODULE) NULL
#if FH_GLOBALS_MODE == FH_GLOBALS_CLASSIC
#define FH_MODULE(ENGINE, MODULE, TYPE)                                                                                          \
  ((TYPE *)((fh_globals_block_t *)FH_GLOBALS_CHECKED_(ENGINE, fh_context, fh_context))->storage[fh_id_##MODULE - 1])
#else
#define FH_MODULE(ENGINE, MODULE, TYPE)                                                                                          \
  ((TYPE *)(void *)(__builtin_expect(fh_offset_##MODULE != 0, 1)                                                                 \
                        ? FH_GLOBALS_BASE(ENGINE) + fh_offset_##MODULE                                                           \
                        : ((char **)((fh_globals_block_t *)(void *)FH_GLOBALS_BASE(ENGINE))->storage)[fh_id_##MODULE - 1]))
#endif
#endif
#define FH_MODULE_G(ENGINE, MODULE, TYPE, MEMBER) (FH_MODULE(ENGINE, MODULE, TYPE)->MEMBER)
#define FH_MODULE_REGISTER(ENGINE, MODULE, SIZE, CTOR, DTOR)                                                                     \
  fh_globals_register_one(&fh_globals_##ENGINE, #MODULE, SIZE, CTOR, DTOR, &fh_id_##MODULE, &fh_offset_##MODULE,                 \
                          FH_MODULE_POINTER_(MODULE), FH_GLOBALS_MODE, FH_GLOBALS_LAYOUT(ENGINE))

#endif
