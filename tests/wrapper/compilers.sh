#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compilers.sh - a link with parts that another compiler built, or that bring a malloc of their own: silent, and the report names
# the file in question, in the reason of a site and beside the assumptions.
. "$(dirname "$0")/common.sh"

cat >site.c <<'C'
#include <stdlib.h>
void keep(void *p);
int main(void) {
  char *p = malloc(24);
  keep(p);
  return 0;
}
C
cat >kept.c <<'C'
void *kept;
void keep(void *p) { kept = p; }
C
silent "$FCC" -O1 -c site.c
other=$CLANG
command -v gcc >/dev/null && other=gcc
expect 0 "$other" -fPIC -c kept.c -o kept.o; ar rc libkept.a kept.o; "$LLVM/llvm-ar" rcT libthin.a kept.o
expect 0 "$other" -shared kept.o -o libshared.so; mv libkept.a libstat.a
printf '.globl keep\nkeep: ret\n' >keep.s
reports() {
  silent "$FCC" site.o "$@" -Wl,-rpath,"$PWD" -o prog --freehold-report=r.json --freehold-report=r.txt
  ./prog || fail "it does not run: $*"
}
for part in kept.o:kept.o libstat.a:libstat.a libthin.a:libthin.a "libshared.so:-L. -lshared" keep.s:keep.s; do
  file=${part%%:*}
  # shellcheck disable=SC2086
  reports ${part#*:}
  grep -q '"code": "FH306"' r.json || { cat r.json; fail "$file: no FH306"; }
  grep -qF "passed to \`keep\`, which is defined in $file without bitcode" r.json || { cat r.json; fail "$file is not named"; }
  grep -q 'has no model' r.json && fail "$file: the user's function is told to have no model"
  grep -qF "which is defined in $file without bitcode (built by another compiler) [FH306]" r.txt || { cat r.txt; fail "$file: text"; }
  expect 0 "$BIN/freehold" explain site.c:4 r.json
  grep -q 'help: compile that file with freehold-cc' out || { cat out; fail "$file: explain does not say what to do"; }
done
# An object that nobody calls stands in the report too; a system's library and what freehold-cc built do not.
echo 'int lonely;' >lonely.c; expect 0 "$other" -c lonely.c
expect 0 "$FCC" -c kept.c -o ours.o
reports ours.o lonely.o -lz
grep -q '\[FH306\] linked without bitcode.*: 1 at lonely.o' r.txt || { cat r.txt; fail "lonely.o is not named"; }
reports ours.o -lz
grep -q FH306 r.txt && { cat r.txt; fail "FH306 without a reason"; }

# A malloc of the program's own, in each of the ways it can come.
cat >own.c <<'C'
#include <stddef.h>
static char pool[1 << 16]; static size_t used;
void *malloc(size_t n) { void *p = pool + used; used += (n + 15) / 16 * 16; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
C
silent "$FCC" -c own.c -o own.o; ar rc libown.a own.o
expect 0 "$other" -fPIC -c own.c -o plainown.o; expect 0 "$other" -shared plainown.o -o libmine.so
for part in own.o:own.o libown.a:libown.a plainown.o:plainown.o "libmine.so:-L. -lmine" own.c:own.c; do
  # shellcheck disable=SC2086
  reports ours.o ${part#*:}
  grep -q "\[FH205\] the program's own malloc.*nothing is rewritten: 1 at ${part%%:*}\$" r.txt || { cat r.txt; fail "own malloc: ${part%%:*}"; }
  [ "$(grep -c 'own malloc' r.txt)" -eq 1 ] || { cat r.txt; fail "not one line"; }
done
reports ours.o
grep -q "own malloc" r.txt && fail "own malloc without a malloc"
exit 0
