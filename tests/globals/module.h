// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// module.h - what host.c knows of the module that it loads.
#ifndef TESTS_GLOBALS_MODULE_H
#define TESTS_GLOBALS_MODULE_H

#include "engine.h"

typedef int module_load_t(void);          // its id, or 0
typedef long module_call_t(FH_GLOBALS_D); // how often the calling thread called it
void host_note(int constructed);          // the host's: a constructor or destructor ran

#endif
