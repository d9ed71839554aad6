#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# summaries.sh - a summary that is damaged, of another format or somebody else's: the program is linked, its module counts as
# unknown, one line and the report say so; `freehold analyze` refuses it in one line, with 3.
. "$(dirname "$0")/common.sh"

# tamper HOW OBJECT RESULT: changes the summary in the object's bitcode, in place
tamper() {
  python3 - "$@" <<'P' || fail "no summary in $2"
import sys
how, source, result = sys.argv[1:]
data = bytearray(open(source, "rb").read())
at = data.find(b"fh-summary ")
assert at >= 0
if how == "older":
    data[at:at + 13] = b"fh-summary 2\n"
elif how == "contents":
    data[at + 40] ^= 4
elif how == "length":
    data[at + 13] ^= 1
elif how == "foreign":
    data[at + 3:at + 10] = b"another"
open(result, "wb").write(data)
P
}
line() { [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: $1"; }; }

silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c
silent "$FCC" main.o helper.o -o plain; ./plain >expected
for how in older contents length; do
  tamper $how helper.o bad.o
  expect 0 "$FCC" main.o bad.o -o prog --freehold-report=r.json; line $how
  case $how in
  older) why='a summary of format 2, this Freehold reads format 3: compile anew' ;;
  contents) why='damaged summary: its checksum does not fit' ;;
  length) why='damaged summary: [0-9]* bytes where it says [0-9]*' ;;
  esac
  says "^freehold-cc: note: prog: 1 of the modules have a summary that cannot be read, what they do is not known \[FH303\]: $why\$"
  ./prog >out; cmp -s out expected || fail "$how: another result"
  grep -q 'modules whose summary cannot be read' r.json || fail "$how: the report does not say so"
  expect 3 "$BIN/freehold" analyze bad.o main.o; line $how; says "^freehold: error: cannot read 'bad.o': $why\$"
done
# no summary at all, for who looks for one: bitcode of another compiler
tamper foreign helper.o bad.o
expect 0 "$FCC" main.o bad.o -o prog; ./prog >out; cmp -s out expected || fail "foreign: another result"
line foreign
# two of them: still one line
tamper older main.o worse.o; tamper older helper.o bad.o
expect 0 "$FCC" worse.o bad.o -o prog; line two; says "2 of the modules"; ./prog >out; cmp -s out expected || fail "two: another result"
# the same file compiled twice has the same summary
cp helper.o first.o; silent "$FCC" -O2 -c helper.c; cmp -s first.o helper.o || fail "other bytes the second time"
exit 0
