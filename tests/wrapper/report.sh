#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# report.sh - the report's path is checked before compiling (3) and ignored by compile steps; every link writes it.
. "$(dirname "$0")/common.sh"

expect 3 "$FCC" --freehold-report=no/such/r.json broken.c
says "no/such"; [ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
mkdir folder.json
expect 3 "$FCC" --freehold-report=folder.json broken.c
silent "$FCC" --freehold-report=no/such/r.json -c helper.c
silent "$FCC" -c main.c
silent "$FCC" --freehold-report=%o.json --freehold-report=r.txt main.o helper.o -o prog
[ -s prog.json ] && [ -s r.txt ] || fail "a report is missing"
grep -q '"freehold-report/1"' prog.json || fail "not a report: $(cat prog.json)"
expect 0 "$CLANG" -c helper.c -o plain.o
echo 'int main(void) { return 0; }' >empty.c
expect 0 "$CLANG" -c empty.c
silent "$FCC" --freehold-report=none.json empty.o plain.o -o none
python3 -c 'import json; r = json.load(open("none.json")); assert r["sites"] == [] and "aside" not in r, r' || fail "report without sites"
expect 0 "$FCC" --freehold-report=aside.json -fsanitize=thread main.c helper.c -o tsan
python3 -c 'import json; r = json.load(open("aside.json")); assert r["sites"] == [] and r["aside"]["text"], r' || fail "report aside"
exit 0
