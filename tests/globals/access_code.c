// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// access_code.c - what access.py disassembles: one access and four (two structs, nothing kept over the barriers but addresses),
// to plain globals, to the engine's, and to those of the RFC's own macros. C, and as C++ too. The definitions stand before the
// functions (DEFINITIONS_FIRST), behind them (DEFINITIONS_LAST), or in another file (DEFINITIONS_ONLY): where they are costs
// nothing.
#ifdef __cplusplus
extern "C" {
#endif
#ifdef PLAIN_DEFINITIONS
#include "engine_types.h"
struct executor_globals plain_executor;
struct compiler_globals plain_compiler;
#else
#include "engine.h"

#include "freehold/tsrm.h"

TSRMG_DH(struct executor_globals *, rfc_executor_id);
TSRMG_DH(struct compiler_globals *, rfc_compiler_id);
extern ts_rsrc_id undeclared_id;
#define RFC_E(v) TSRMG(rfc_executor_id, struct executor_globals *, v)
#define RFC_C(v) TSRMG(rfc_compiler_id, struct compiler_globals *, v)
#define DEFINITIONS                                                                                                              \
  FH_GLOBALS_DEFINE(test);                                                                                                       \
  FH_RESOURCE_DEFINE(test, executor);                                                                                            \
  FH_RESOURCE_DEFINE(test, compiler);                                                                                            \
  TSRMG_D(struct executor_globals *, rfc_executor_id);                                                                           \
  TSRMG_D(struct compiler_globals *, rfc_compiler_id);                                                                           \
  ts_rsrc_id undeclared_id
#if defined(DEFINITIONS_FIRST) || defined(DEFINITIONS_ONLY)
DEFINITIONS;
#endif
#ifndef DEFINITIONS_ONLY

extern struct executor_globals plain_executor;
extern struct compiler_globals plain_compiler;
#define BARRIER() __asm__ volatile("" : : : "memory")
#define FOUR(E, C)                                                                                                               \
  do {                                                                                                                           \
    long sum = E(depth);                                                                                                         \
    BARRIER();                                                                                                                   \
    sum += C(line);                                                                                                              \
    BARRIER();                                                                                                                   \
    sum += E(depth);                                                                                                             \
    BARRIER();                                                                                                                   \
    return sum + C(line);                                                                                                        \
  } while (0)
#define PLAIN_E(v) plain_executor.v
#define PLAIN_C(v) plain_compiler.v

long plain_one(void) { return PLAIN_E(depth); }
long plain_four(void) { FOUR(PLAIN_E, PLAIN_C); }
int plain_flag(void) { return FH_GLOBALS_ATOMIC_LOAD(&PLAIN_E(numbers)[1]); }
long mode_one(FH_GLOBALS_D) { return EG(depth); }
long mode_four(FH_GLOBALS_D) { FOUR(EG, CG); }
#define EV(v) FH_G_VALUE(test, executor, struct executor_globals, v)
#define CV(v) FH_G_VALUE(test, compiler, struct compiler_globals, v)
long value_one(FH_GLOBALS_D) { return EV(depth); }
long value_four(FH_GLOBALS_D) { FOUR(EV, CV); }
long kept_one(FH_GLOBALS_D) {
  FH_GLOBALS_KEEP(test);
  return EG(depth);
}
long kept_four(FH_GLOBALS_D) {
  FH_GLOBALS_KEEP(test);
  FOUR(EG, CG);
}
long plain_calm(void) { return PLAIN_E(depth) + PLAIN_C(line) + PLAIN_E(numbers)[2] + PLAIN_C(name)[1]; }
long mode_calm(FH_GLOBALS_D) { return EG(depth) + CG(line) + EG(numbers)[2] + CG(name)[1]; }
int mode_flag(FH_GLOBALS_D) { return FH_GLOBALS_ATOMIC_LOAD(&EG(numbers)[1]); }
long rfc_one(TSRMLS_D) { return RFC_E(depth); }
long rfc_four(TSRMLS_D) { FOUR(RFC_E, RFC_C); }
#if FH_GLOBALS_MODE != FH_GLOBALS_POINTER /* which asks for TSRMG_DH */
long undeclared_one(TSRMLS_D) { return TSRMG(undeclared_id, struct executor_globals *, depth); }
#endif
#ifdef DEFINITIONS_LAST
DEFINITIONS;
#endif
#ifndef __PIC__
#define EXECUTABLE 1
#elif defined(__PIE__)
#define EXECUTABLE 1
#endif
#ifdef EXECUTABLE
int main(void) { return 0; }
#endif
#endif
#endif
#ifdef __cplusplus
}
#endif
