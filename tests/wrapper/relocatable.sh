#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# relocatable.sh - freehold-cc -r keeps the bitcode of what it joins, so that a later link knows its sites; where it cannot, and
# after other linkers' -r, one line names the object, and the report too.
. "$(dirname "$0")/common.sh"

# sites N: a link of the rest of the line finds N sites, without a word, and the program is right
sites() {
  number=$1; shift
  silent "$FCC" --freehold-report=r.json "$@" -o prog
  python3 -c 'import json, sys; s = json.load(open("r.json"))["summary"]; assert s["sites"] == s["rewritten"] == int(sys.argv[1]), s' "$number" ||
    fail "not $number sites, all rewritten: $*"
  ./prog >out || fail "the program: $*"
}
bitcode() { sections "$1" | grep -q llvm.lto; }
one_line() { [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line"; }; says "$1"; }

silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c
for way in "-r" "-nostdlib -no-pie -Wl,-r" "-r -fuse-ld=lld" "-r -flto"; do
  # shellcheck disable=SC2086
  silent "$FCC" $way main.o helper.o -o both.o
  bitcode both.o || fail "no bitcode: $way"
  [ "$(sections both.o | grep -c llvm.lto)" -eq 1 ] || fail "two halves: $way"
  sites 1 both.o
done
silent "$FCC" -r main.o -o one.o; silent "$FCC" -r one.o helper.o -o two.o; sites 1 two.o # joined again
silent "$FCC" -O2 -r main.c helper.o -o three.o; sites 1 three.o                          # compiled by that very command
silent "$FCC" -r main.o helper.o -o both.o
expect 0 "$CLANG" -O2 -c main.c -o cmain.o; expect 0 "$CLANG" -O2 -c helper.c -o chelper.o
expect 0 "$CLANG" -r cmain.o chelper.o -o cboth.o
code both.o >ours.s; code cboth.o >theirs.s; cmp ours.s theirs.s || fail "other code than clang's"
expect 0 "$CLANG" both.o -o plain && ./plain >out || fail "clang links what -r left"
silent "$FCXX" -O2 -r plus.cpp -o plus.o; silent "$FCXX" plus.o -o prog; ./prog >out && grep -qx 22 out || fail "C++"
# statics of one name, and which weak definition prevails
cat >a.c <<'C'
static int count = 1;
__attribute__((weak)) int which(void) { return 1; }
__attribute__((weak)) int other(void) { return 1; }
int first(void); int first(void) { return count++; }
C
cat >b.c <<'C'
static int count = 10;
__attribute__((weak)) int which(void) { return 2; }
int other(void) { return 2; }
int second(void); int second(void) { return count++; }
C
cat >c.c <<'C'
int which(void), other(void), first(void), second(void);
int main(void) { return !(which() == 1 && other() == 2 && first() == 1 && second() == 10 && first() == 2); }
C
silent "$FCC" -O1 -c a.c b.c c.c; silent "$FCC" -r a.o b.o -o ab.o; bitcode ab.o || fail "weak definitions"
silent "$FCC" c.o ab.o -o prog; ./prog || fail "weak definitions: another one prevailed"

# what cannot be kept is said, and works
expect 0 "$CLANG" -c helper.c -o plain.o
expect 0 "$FCC" -r main.o plain.o -o mixed.o; one_line "mixed.o.*plain.o has no bitcode"
bitcode mixed.o && fail "half a bitcode half"
expect 0 "$FCC" mixed.o -o prog; ./prog >out || fail "mixed"
rm -f lib.a; expect 0 llvm-ar rc lib.a helper.o
expect 0 "$FCC" -r main.o lib.a -o archive.o; one_line "archive.o.*lib.a is an archive"
expect 0 "$FCC" archive.o -o prog; ./prog >out || fail "archive"
echo 'SECTIONS { .text : { *(.text*) } }' >script.ld
expect 0 "$FCC" -r main.o helper.o -Wl,-T,script.ld -o scripted.o; one_line "scripted.o.*linker script"
expect 0 "$FCC" -r main.o helper.o -Wl,--defsym=extra=4 -o defined.o; one_line "defined.o.*'extra'"
silent "$FCC" -r plain.o -o nothing.o # nothing of ours is lost
# other linkers' -r
expect 0 ld -r main.o helper.o -o bfd.o
expect 0 "$FCC" --freehold-report=r.json --freehold-report=r.txt bfd.o -o prog; one_line "bfd.o.*ld -r"; ./prog >out || fail "ld -r"
grep -q "bfd.o" r.txt || fail "the report does not name it: $(cat r.txt)"
python3 -c 'import json; r = json.load(open("r.json")); assert "bfd.o" in json.dumps(r["assumptions"] + [r.get("aside")]), r' || fail "the report does not name it"
expect 0 ld -r main.o -o bfd.o # one object alone stays what it was
sites 1 bfd.o helper.o
exit 0
