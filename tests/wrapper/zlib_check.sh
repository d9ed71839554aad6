#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zlib_check.sh - zlib's own tests, by make and by CMake, with the owner check compiled in: no block meets another thread's hands.
. "$(dirname "$0")/common.sh"

fetched=$("$SOURCE/bench/fetch" zlib 2>err) || { echo "skipped: zlib's source could not be fetched: $(cat err)"; exit 77; }
cp -r "$(echo "$fetched" | tail -n 1)" made
cp -r made cm
cd made || exit 1
[ -e zconf.h ] || cp zconf.h.in zconf.h
CC="freehold-cc --freehold-check" expect 0 ./configure
expect 0 make -j2
expect 0 make test
"$LLVM/llvm-nm" example | grep -q 'fh_check' || fail "zlib's example has no owner check in it"
cd ..
expect 0 cmake -S cm -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$FCC" -DCMAKE_C_FLAGS=--freehold-check
expect 0 cmake --build build
expect 0 ctest --test-dir build
