#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# plain.sh - a name that has a model is the user's own where a plain object, an archive or a library of theirs defines it: no
# model holds, and its calls are left alone. The C library's own files, by option or by path, leave the models alone.
. "$(dirname "$0")/common.sh"

cat >site.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
volatile int sink;
int main(void) {
  char *block = malloc(40);
  block[0] = 0;
  char *copy = strdup(block);
  sink = copy[0] + strlen(block) + strncmp(block, copy, 2);
  free(copy);
  free(block);
  return 0;
}
C
cat >mine.c <<'C'
extern char *kept;
char *kept;
char *strdup(const char *s) { kept = (char *)s; return __builtin_calloc(1, 8); }
C
cat >copies.c <<'C'
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n) { for (size_t i = 0; i < n; ++i) ((volatile char *)to)[i] = ((char *)from)[i]; return to; }
C
silent "$FCC" -O2 -fno-builtin-strlen -c site.c
silent "$CLANG" -O1 -fPIC -fno-builtin -c mine.c; silent "$CLANG" -O1 -fPIC -fno-builtin -c copies.c
ar rc libmine.a mine.o; silent "$CLANG" -shared mine.o -o libmine.so; mkdir so; mv libmine.so so
sites() { sed -n 's/.*"sites": *\([0-9][0-9]*\).*/\1/p' r.json | head -n 1; }
count() { sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" r.json | head -n 1; }
link() { silent "$FCC" site.o "$@" -Wl,-rpath,"$PWD/so" -o prog --freehold-report=r.json; ./prog || fail "it does not run: $*"; }

libm=$("$CLANG" -print-file-name=libm.so) libc=$("$CLANG" -print-file-name=libpthread.a)
for own in "" -lm -lpthread "-Wl,--as-needed $libm $libc"; do
  # shellcheck disable=SC2086
  link $own
  [ "$(sites)" = 2 ] && [ "$(count rewritten)" = 2 ] || fail "not 2 sites rewritten with '$own': $(cat r.json)"
done
echo "INPUT(mine.o)" >object.ld; echo "/* GROUP(none.o) */ GROUP ( AS_NEEDED ( -lmine ) )" >archive.ld
echo "INPUT(archive.ld)" >indirect.ld
for own in mine.o libmine.a "-L. -lmine" so/libmine.so "-Lso -lmine" object.ld "-L. archive.ld" "-L. indirect.ld"; do
  # shellcheck disable=SC2086
  link $own
  grep -q '"FH205"' r.json || fail "strdup's site does not say that it is the user's: $own"
  [ "$(count rewritten)" = 0 ] || fail "strdup's block is rewritten in spite of $own"
  [ "$(count local)" = 0 ] || fail "malloc's block is local though '$own' keeps it"
done
# a definition in bitcode that prevails is analysed as ever
silent "$FCC" -O2 -fno-builtin -c mine.c -o fat.o; link fat.o so/libmine.so
[ "$(count local)" = 0 ] || fail "its own strdup keeps the block"
# what has no call in the IR: Freehold stands aside
cat >copy.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { char *p = malloc(10 * argc); memcpy(p, argv[0], argc); int c = p[0] == 0; free(p); return c; }
C
expect 0 "$FCC" -O2 copy.c copies.o -o prog; says "redefines 'memcpy'"; [ "$(wc -l <err)" = 1 ] || fail "not one line"
./prog || fail "own memcpy"
exit 0
