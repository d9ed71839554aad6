#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# debug.sh - without -g the output has no debug sections, with -g it has the user's; the bitcode always has lines.
. "$(dirname "$0")/common.sh"

silent "$FCC" main.c helper.c -o prog
sections prog | grep -q '\.debug' && fail "debug sections nobody asked for"
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
silent "$FCC" main.o helper.o -o prog
sections prog | grep -q '\.debug' && fail "debug sections nobody asked for, two steps"
"$LLVM/llvm-objcopy" --dump-section=.llvm.lto=main.bc main.o
"$LLVM/llvm-dis" main.bc -o - | grep -q '!DILocation(line: 5' || fail "no lines in the bitcode"
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
