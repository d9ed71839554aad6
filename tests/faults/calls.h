// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// calls.h - the system calls of the runtime under test, made to fail. The linker's --wrap leads each of them here (calls.c), and
// only those of the objects that are linked in: libc's own calls are not touched.
#ifndef FREEHOLD_TESTS_FAULTS_CALLS_H
#define FREEHOLD_TESTS_FAULTS_CALLS_H

#include <stdbool.h>

// What fails, from the process's first call on: the environment variable FAULT, "only N", "from N", or "all NAME". So many calls
// were made, and so many of them failed.
int calls_made(void);
int calls_failed(void);
// From now on those fail whose names are in the list, NULL: none.
void calls_fail(const char *names);

#endif
