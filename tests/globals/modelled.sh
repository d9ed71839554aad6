#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# modelled.sh FREEHOLD-CC INCLUDE GENERATED LIBRARY WORKDIR - the pthread_create that the library puts in front of libc's is
# libc's to freehold-cc: its model holds, and what it is given is shared for that reason, not because nothing is known of it.
cc=$1 include=$2 generated=$3 library=$4 work=$5
mkdir -p "$work" && cd "$work" || exit 1
cat > threads.c <<'TEXT'
#include "freehold/globals.h"
#include <pthread.h>
#include <stdlib.h>
struct executor_globals { long depth; void *self; };
#include "first_layout.h"
FH_GLOBALS_DECLARE(first);
FH_GLOBALS_DEFINE(first);
static void *run(void *argument) { return argument; }
int main(void) {
  pthread_t thread;
  return pthread_create(&thread, 0, run, malloc(16)) || pthread_join(thread, 0);
}
TEXT
"$cc" -O1 -w -DFREEHOLD_GLOBALS_GS=1 -I"$include" -I"$generated" threads.c "$library" -pthread -o threads --freehold-report=report.txt && ./threads || exit 1
grep -q 'passed to a new thread by pthread_create \[FH102\]' report.txt || { cat report.txt; exit 1; }
