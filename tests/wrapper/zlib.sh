#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# zlib.sh - zlib's own configure and CMake find with freehold-cc what they find with clang; make test passes.
. "$(dirname "$0")/common.sh"

fetched=$("$SOURCE/bench/fetch" zlib 2>err) || { echo "skipped: zlib's source could not be fetched: $(cat err)"; exit 77; }
fetched=$(echo "$fetched" | tail -n 1)
# what changes from run to run, and the compiler's name
mask='s/freehold-cc/CC/g; s/clang-19/CC/g; s/ztest[0-9]*/ztest/g; /^[A-Z][a-z][a-z] [A-Z][a-z][a-z] .* 20[0-9][0-9]$/d; s,/[^ ]*/CC,CC,g'
for cc in clang-19 freehold-cc; do
  cp -r "$fetched" $cc; cd $cc || exit 1
  [ -e zconf.h ] || cp zconf.h.in zconf.h
  CC=$cc ./configure >../configure.$cc 2>&1 || { cat ../configure.$cc; fail "configure with $cc"; }
  make -j2 >../make.$cc 2>&1 || { tail ../make.$cc; fail "make with $cc"; }
  make test >../test.$cc 2>&1 || { tail ../test.$cc; fail "make test with $cc"; }
  find . | sort >../files.$cc
  sed "$mask" configure.log >../log.$cc
  sed "$mask" ../configure.$cc >../said.$cc
  "$LLVM/llvm-nm" -D --defined-only libz.so.1.* | sed 's/^[^ ]* //' | grep -v '^A ' | sort >../exports.$cc
  cd ..
done
for what in files log said exports test; do
  diff $what.clang-19 $what.freehold-cc || fail "zlib: another $what than with clang"
done
grep freehold-cc: make.freehold-cc test.freehold-cc && fail "zlib: not silent"
for o in clang-19/*.o; do
  code "$o" >theirs.s; code "freehold-cc/${o##*/}" >ours.s
  cmp theirs.s ours.s || fail "zlib: other code in $o"
done
cp -r "$fetched" cm
expect 0 cmake -S cm -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$FCC"
expect 0 cmake --build build
grep freehold-cc: out err && fail "zlib with CMake: not silent"
expect 0 ctest --test-dir build
exit 0
