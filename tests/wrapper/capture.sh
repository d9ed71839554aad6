#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# capture.sh - what a link's analysis was given, kept as one file: `freehold analyze` of it gives that link's verdicts, also where
# the linker's answer decides them, and takes no other input beside it; a damaged one is an input error.
. "$(dirname "$0")/common.sh"

verdicts() { sed -n '/"assumptions"/q; s/^ *"\(id\|verdict\|code\)": //p' "$1"; }
# alike NAME ARGS...: a link with ARGS and the analysis of its capture agree
alike() {
  name=$1; shift
  expect 0 "$FCC" -O2 "$@" -o "$name" "--freehold-test-capture=$PWD/%o.bc" --freehold-report=link.json
  expect 0 "$BIN/freehold" analyze "$name.bc" -o again.json
  verdicts link.json >link.txt; verdicts again.json >again.txt
  [ -s link.txt ] || fail "$name: no verdicts"
  diff link.txt again.txt || fail "$name: the capture's verdicts are not the link's"
}

# malloc is another one: only the linker knows
cat >own.c <<'C'
#include <stddef.h>
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n) { return __real_malloc(n); }
C
silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c; silent "$FCC" -O2 -c own.c
alike plain main.o helper.o
grep -q '"local"' again.txt || fail "nothing is local in the plain program"
alike wrapped main.o helper.o own.o -Wl,--wrap=malloc
grep -q '"FH205"' again.txt || fail "the capture forgot that malloc is wrapped"
# a plain object reaches what is visible
cat >keep.c <<'C'
#include <stdlib.h>
void other(void);
void give(void *p);
void *kept;
void give(void *p) { kept = p; }
int main(void) { kept = malloc(7); other(); return 0; }
C
echo 'extern void *kept; void other(void); void other(void) { (void)*(char *volatile *)&kept; }' >other.c
silent "$CLANG" -O2 -c other.c
silent "$FCC" -O2 -c keep.c
alike mixed keep.o other.o
alike library -shared -fPIC helper.o keep.c

# alone, or not at all
expect 3 "$BIN/freehold" analyze plain.bc main.o; says 'a captured link is analysed alone'
expect 3 "$BIN/freehold" analyze main.o plain.bc; says 'a captured link is analysed alone'
"$LLVM/llvm-dis" plain.bc -o plain.ll || fail "llvm-dis"
sed 's/symbol [01] \([01]\)/symbol x \1/' plain.ll >damaged.ll
expect 3 "$BIN/freehold" analyze damaged.ll; says "damaged resolution: 'symbol x"
sed 's/!freehold.resolution = !{\(![0-9]*\)}/!freehold.resolution = !{\1, \1}/' plain.ll >double.ll
expect 3 "$BIN/freehold" analyze double.ll; says 'damaged resolution: it is no text'
# where it cannot be written the link is done all the same, and says so
expect 0 "$FCC" -O2 main.o helper.o -o prog --freehold-test-capture=/nonexistent/x.bc; says "cannot write"
./prog >out || fail "the program"
exit 0
