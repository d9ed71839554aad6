/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * module.h - extensions of the language: functions written in C, with globals of their own, linked with the engine or loaded
 * later.
 *
 * A module's source is the same in every mode, and wherever it is linked:
 *
 *   typedef struct tally_globals { int64_t step; } tally_globals;
 *   ENGINE_MODULE_GLOBALS(tally, tally_globals);
 *   #define TALLY_G(v) ENGINE_MODULE_G(tally, tally_globals, v)
 *   static bool startup(void) { return ENGINE_MODULE_REGISTER(tally, tally_globals, construct, NULL); }
 *   ENGINE_MODULE(tally) = {ENGINE_MODE, .name = "tally", .startup = startup, .functions = functions};
 */
#ifndef ENGINE_MODULE_H
#define ENGINE_MODULE_H

#include "vm.h"

typedef struct module {
  int mode; /* ENGINE_MODE: a module is built for one mode, as the engine is */
  const char *name;
  bool (*startup)(void);           /* once, when it is loaded: registers its globals */
  void (*request_begin)(ENGINE_D); /* may be NULL */
  const builtin *functions;
} module;

#ifdef ENGINE_SINGLE
#define ENGINE_MODE 0
#define ENGINE_MODULE_GLOBALS(NAME, TYPE) static TYPE NAME##_storage
#define ENGINE_MODULE_G(NAME, TYPE, MEMBER) (NAME##_storage.MEMBER)
#define ENGINE_MODULE_REGISTER(NAME, TYPE, CONSTRUCT, DESTROY) (CONSTRUCT(&NAME##_storage, NULL) == 0)
#else
#define ENGINE_MODE FH_GLOBALS_MODE
#define ENGINE_MODULE_GLOBALS(NAME, TYPE)                                                                                        \
  FH_MODULE_DECLARE(engine, NAME);                                                                                               \
  FH_MODULE_DEFINE(engine, NAME)
#define ENGINE_MODULE_G(NAME, TYPE, MEMBER) FH_MODULE_G(engine, NAME, TYPE, MEMBER)
#define ENGINE_MODULE_REGISTER(NAME, TYPE, CONSTRUCT, DESTROY)                                                                   \
  (FH_MODULE_REGISTER(engine, NAME, sizeof(TYPE), CONSTRUCT, DESTROY) != 0)
#endif

#ifdef ENGINE_MODULE_LOADED /* a library of its own: the engine looks for this name */
#define ENGINE_MODULE(NAME) __attribute__((visibility("default"))) const module engine_module
#else
#define ENGINE_MODULE(NAME) const module NAME##_module
#endif

/* A module that the engine has, by its name, or one in a file. While it is loaded other threads may run; they have it from their
   next request on. False after a message on standard error. One thread at a time. */
bool module_load(const char *name_or_file);
/* Of all loaded modules. */
void modules_request_begin(ENGINE_D);
/* When no thread runs scripts any more. */
void modules_unload(void);

#endif
