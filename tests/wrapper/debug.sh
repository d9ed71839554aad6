#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# debug.sh - without -g the output has no debug sections, with -g it has the user's; so the bitcode, but for what
# needs lines.
. "$(dirname "$0")/common.sh"

silent "$FCC" main.c helper.c -o prog
sections prog | grep -q '\.debug' && fail "debug sections nobody asked for"
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
silent "$FCC" main.o helper.o -o prog
sections prog | grep -q '\.debug' && fail "debug sections nobody asked for, two steps"
"$LLVM/llvm-objcopy" --dump-section=.llvm.lto=main.bc main.o
"$LLVM/llvm-dis" main.bc -o - | grep -q '!DILocation' && fail "lines in the bitcode nobody asked for"
for asked in -g -gmlt --freehold-check -Rpass=never; do
  expect 0 "$FCC" -O2 $asked -c main.c -o lines.o
  "$LLVM/llvm-objcopy" --dump-section=.llvm.lto=main.bc lines.o
  "$LLVM/llvm-dis" main.bc -o - | grep -q '!DILocation(line: 5' || fail "$asked: no lines in the bitcode"
done
# without them code is clang's own, and remarks have the same lines
same -O2 -Rpass=inline -c main.c -o lines.o
silent "$FCC" -g main.c helper.c -o prog
sections prog | grep -q '\.debug_info' || fail "-g: no debug information"
silent "$FCC" -g -c main.c
sections main.o | grep -q '\.debug_info' || fail "-g -c: no debug information"
silent "$FCC" main.o helper.o -o prog
sections prog | grep -q '\.debug_info' || fail "-g of one object: no debug information"
silent "$FCC" -g -g0 -gsplit-dwarf -c main.c
[ ! -e main.dwo ] || fail "a .dwo nobody asked for"
silent "$FCC" -s main.o helper.o -o prog
sections prog | grep -q '\.symtab' && fail "-s"
exit 0
