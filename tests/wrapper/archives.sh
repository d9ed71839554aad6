#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# archives.sh - archives of llvm-ar and of binutils' ar; a thin one too; links named llvm-ar lie beside freehold-cc.
. "$(dirname "$0")/common.sh"

silent "$FCC" -c main.c; silent "$FCC" -c helper.c
[ -x "$BIN/llvm-ar" ] && [ -x "$BIN/llvm-ranlib" ] || fail "llvm-ar is not beside freehold-cc"
for ar in "$BIN/llvm-ar" /usr/bin/ar; do
  for kind in rcs rcsT; do
    rm -f libh.a
    expect 0 $ar $kind libh.a helper.o
    silent "$FCC" main.o libh.a -o prog; ./prog >out || fail "$ar $kind"
    silent "$FCC" main.o -L. -lh -o prog; ./prog >out || fail "$ar $kind, -lh"
  done
done
expect 0 "$CLANG" main.o libh.a -o plain && ./plain >out || fail "clang with our archive"
# bitcode in an archive of which nothing is extracted: no word about a plugin that did not run
expect 0 "$CLANG" -c helper.c -o plain.o; expect 0 "$CLANG" -c main.c -o plainmain.o
silent "$FCC" plainmain.o plain.o libh.a -o prog
exit 0
