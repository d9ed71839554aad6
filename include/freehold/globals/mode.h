/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals/mode.h - which mode this file is compiled in. One switch, given to every file of the engine and of its modules:
 *
 *   -DFREEHOLD_GLOBALS_STATIC=1   the thread block is a thread-local variable of the engine
 *   -DFREEHOLD_GLOBALS_GS=1       the thread block is on the heap, its address in the free segment register (x86-64 Linux)
 *   -DFREEHOLD_GLOBALS_CACHED=1   one thread-local pointer to the thread block, then a constant offset
 *   -DFREEHOLD_GLOBALS_POINTER=1  one thread-local pointer per resource
 *   -DFREEHOLD_GLOBALS_PASSED=1   the thread block is a parameter of functions, then a constant offset
 *   -DFREEHOLD_GLOBALS_CLASSIC=1  the thread block is a parameter of functions, then a table by id
 *   none of them                  auto: static in executables; with -DFREEHOLD_GLOBALS_DSO=1 gs where there is one, else cached.
 *                                 Such an executable's modules reach its thread-local block through %gs
 *
 * and for an engine that lives in a shared library, in every file that includes its headers, also those of programs that embed
 * it:
 *
 *   -DFREEHOLD_GLOBALS_DSO=1      its thread-local variables are reached as initial-exec instead of local-exec. Files compiled
 *                                 with -fPIC (and not -fPIE) are treated so without the switch.
 *   -DFREEHOLD_GLOBALS_DYNAMIC=1  ... or as the compiler likes, where initial-exec is refused: global-dynamic; TLSDESC with
 *                                 -mtls-dialect=gnu2; local-dynamic with -ftls-model=local-dynamic, in the engine's own files
 *
 * and for tests, in any file of any mode:
 *
 *   -DFREEHOLD_GLOBALS_CHECKED=1  each access asks first whether the thread is registered and the block its own, and stops with a
 *                                 line if not
 */
#ifndef FREEHOLD_GLOBALS_MODE_H
#define FREEHOLD_GLOBALS_MODE_H

#include <stdint.h> /* tells of the libc, too */

#define FH_GLOBALS_STATIC 1
#define FH_GLOBALS_GS 2
#define FH_GLOBALS_CACHED 3
#define FH_GLOBALS_POINTER 4
#define FH_GLOBALS_PASSED 5
#define FH_GLOBALS_CLASSIC 6
#define FH_GLOBALS_FIXED 256 /* beside a mode: fh_globals_resource_t */

#if defined(FREEHOLD_GLOBALS_STATIC) + defined(FREEHOLD_GLOBALS_GS) + defined(FREEHOLD_GLOBALS_CACHED) +                         \
        defined(FREEHOLD_GLOBALS_POINTER) + defined(FREEHOLD_GLOBALS_PASSED) + defined(FREEHOLD_GLOBALS_CLASSIC) >               \
    1
#error "more than one FREEHOLD_GLOBALS_* mode is defined: choose one"
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
#define FH_GLOBALS_HAS_GS 1
#else
#define FH_GLOBALS_HAS_GS 0
#endif

#if defined(FREEHOLD_GLOBALS_STATIC)
#define FH_GLOBALS_MODE FH_GLOBALS_STATIC
#ifdef FREEHOLD_GLOBALS_AUTO /* what chose static for it says so */
#define FH_GLOBALS_AUTO 1
#endif
#elif defined(FREEHOLD_GLOBALS_GS)
#define FH_GLOBALS_MODE FH_GLOBALS_GS
#elif defined(FREEHOLD_GLOBALS_CACHED)
#define FH_GLOBALS_MODE FH_GLOBALS_CACHED
#elif defined(FREEHOLD_GLOBALS_POINTER)
#define FH_GLOBALS_MODE FH_GLOBALS_POINTER
#elif defined(FREEHOLD_GLOBALS_PASSED)
#define FH_GLOBALS_MODE FH_GLOBALS_PASSED
#elif defined(FREEHOLD_GLOBALS_CLASSIC)
#define FH_GLOBALS_MODE FH_GLOBALS_CLASSIC
#elif !defined(FREEHOLD_GLOBALS_DSO)
#define FH_GLOBALS_AUTO 1
#define FH_GLOBALS_MODE FH_GLOBALS_STATIC
#elif FH_GLOBALS_HAS_GS
#define FH_GLOBALS_MODE FH_GLOBALS_GS
#else
#define FH_GLOBALS_MODE FH_GLOBALS_CACHED
#endif

#if FH_GLOBALS_MODE == FH_GLOBALS_GS && !FH_GLOBALS_HAS_GS
#error "gs needs x86-64 Linux: compile with -DFREEHOLD_GLOBALS_CACHED=1 instead"
#endif

/* Does a function take the thread block as a parameter? */
#define FH_GLOBALS_HAS_CONTEXT (FH_GLOBALS_MODE == FH_GLOBALS_PASSED || FH_GLOBALS_MODE == FH_GLOBALS_CLASSIC)

/* Storage of the engine's thread-local variables. __thread and not _Thread_local: C++ has it too, without initialisers at run
   time. */
#define FH_GLOBALS_TLS __thread
#if defined(FREEHOLD_GLOBALS_DSO) || (defined(__PIC__) && !defined(__PIE__))
#define FH_GLOBALS_IN_LIBRARY 1
#else
#define FH_GLOBALS_IN_LIBRARY 0
#endif
/* Mode gs reaches nothing through thread-local variables that is in a hurry; and other libcs than glibc refuse initial-exec in
   what comes by dlopen. */
#if defined(FREEHOLD_GLOBALS_DYNAMIC) || (FH_GLOBALS_MODE == FH_GLOBALS_GS && FH_GLOBALS_IN_LIBRARY && !defined(__GLIBC__))
#define FH_GLOBALS_TLS_DYNAMIC 1
#define FH_GLOBALS_TLS_MODEL
#elif FH_GLOBALS_IN_LIBRARY
#define FH_GLOBALS_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define FH_GLOBALS_TLS_MODEL __attribute__((tls_model("local-exec")))
#endif

#endif
