#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compilers.sh COMPILER LIBDIR INCLUDE GENERATED WORKDIR - mode gs and cached under another compiler's ideas of what may be kept
# in a register over a call that registers the thread, switches its block, or starts the engine anew; and in every mode strict C
# and C++, without warnings.
compiler=$1 libdir=$2 include=$3 generated=$4 work=$5 failed=0
src=$(cd "$(dirname "$0")" && pwd)
command -v "$compiler" >/dev/null || { echo "skipped: there is no $compiler"; exit 77; }
mkdir -p "$work" || exit 1
for mode in gs cached; do
  MODE=$(echo $mode | tr a-z A-Z)
  for level in 0 1 2; do
    for test in tsrm fibers; do
      "$compiler" -O$level -Wall -D_GNU_SOURCE -DFREEHOLD_GLOBALS_$MODE=1 -DFREEHOLD_TSRM_BY_ID=1 -DTSRM_LAYOUT \
        -DFREEHOLD_TSRM_LAYOUT='"tsrm_layout.h"' -I"$include" -I"$generated" "$src/$test.c" "$libdir/libfreehold-tsrm-$mode.a" \
        -pthread -o "$work/$test" && "$work/$test" || { echo "FAILED: $compiler -O$level, $mode, $test"; failed=1; }
    done
  done
done
cxx=$(echo "$compiler" | sed 's/gcc/g++/')
for mode in static gs cached pointer passed classic; do
  MODE=$(echo $mode | tr a-z A-Z)
  for how in "$compiler -std=c11 basic.c -Wshadow" "$cxx -std=c++17 cxx.cc"; do
    set -- $how
    command -v "$1" >/dev/null || { echo "there is no $1: not tested"; continue; }
    "$1" "$2" -O2 -Wall -Wextra -Wpedantic ${4:-} -Werror -D_GNU_SOURCE -DFREEHOLD_GLOBALS_$MODE=1 -DTSRM_LAYOUT -DFREEHOLD_TSRM_LAYOUT='"tsrm_layout.h"' \
      -I"$include" -I"$generated" -I"$src" "$src/$3" "$libdir/libfreehold-tsrm-$mode.a" -pthread -o "$work/test" && "$work/test" ||
      { echo "FAILED: $how, $mode"; failed=1; }
  done
done
exit $failed
