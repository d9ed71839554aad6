#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# changed.sh - an object whose native half was changed after compiling is linked as the plain object it has become.
. "$(dirname "$0")/common.sh"

silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c
echo 'int second(int); int helper(int x) { return second(x) + 1; }' >wrap.c
silent "$FCC" -c wrap.c
objcopy --redefine-sym helper=second helper.o renamed.o
expect 0 "$FCC" main.o wrap.o renamed.o -o prog; says "renamed.o: linked as a plain object"
./prog >out || fail "renamed"; "$CLANG" main.o wrap.o renamed.o -o plain && ./plain | cmp - out || fail "renamed: another result"
objcopy --weaken helper.o weak.o
echo 'int helper(int x) { return x; }' >strong.c; silent "$FCC" -c strong.c
expect 0 "$FCC" main.o strong.o weak.o -o prog; says "weak.o: linked as a plain object"
./prog >out; "$CLANG" main.o strong.o weak.o -o plain && ./plain | cmp - out || fail "weakened: another result"
objcopy --redefine-sym malloc=mymalloc main.o mine.o
echo '#include <stdlib.h>
void *mymalloc(size_t n) { return calloc(1, n); }' >mine2.c
expect 0 "$FCC" mine.o mine2.c helper.o -o prog; says "mine.o: linked as a plain object"; ./prog >out || fail "mymalloc"
ld -r main.o helper.o -o joined.o
expect 0 "$FCC" joined.o -o prog; says "ld -r"; [ "$(wc -l <err)" -eq 1 ] || fail "one line"; ./prog >out || fail "ld -r"
ar rcs libr.a renamed.o
expect 0 "$FCC" main.o wrap.o libr.a -o prog; says "libr.a: linked as a plain object"; ./prog >out || fail "archive"
# the same through C++, where halves differ in what they define: not a word
silent "$FCXX" -O2 -c plus.cpp; silent "$FCXX" plus.o -o prog; ./prog >out || fail "C++"
silent "$FCXX" -O0 -c plus.cpp; silent "$FCXX" plus.o -o prog; ./prog >out || fail "C++ -O0"
exit 0
