// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// engine.h - the engine of these tests: two resources in the layout, compiled in every mode.
#ifndef TESTS_GLOBALS_ENGINE_H
#define TESTS_GLOBALS_ENGINE_H

#include "freehold/globals.h"

#include "engine_types.h"

#include "test_layout.h"

FH_GLOBALS_DECLARE(test);
FH_RESOURCE_DECLARE(test, executor);
FH_RESOURCE_DECLARE(test, compiler);

#define EG(v) FH_G(test, executor, struct executor_globals, v)
#define CG(v) FH_G(test, compiler, struct compiler_globals, v)
#define ENGINE (&fh_globals_test)

#endif
