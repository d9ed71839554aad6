#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check.sh - --freehold-check: silent where all carries bitcode; what does not is named in one line.
. "$(dirname "$0")/common.sh"

silent "$FCC" -c main.c; silent "$FCC" -c helper.c
silent "$FCC" --freehold-check main.o helper.o -o prog; ./prog >out || fail "checked"
silent "$FCC" --freehold-check -c helper.c; silent "$FCC" helper.o main.c --freehold-check -o prog; ./prog >out || fail "checked, one step"
expect 0 "$CLANG" -c helper.c -o plain.o; ar rc libplain.a plain.o
expect 0 "$FCC" --freehold-check main.o plain.o -o prog
says "not instrumented by the owner check: plain.o"; [ "$(wc -l <err)" -eq 1 ] || fail "not one line"; ./prog >out || fail "plain.o"
expect 0 "$FCC" --freehold-check main.o -L. -lplain -o prog
says "libplain.a"; [ "$(wc -l <err)" -eq 1 ] || fail "not one line"; ./prog >out || fail "libplain.a"
exit 0
