#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# models.sh - --freehold-models=DIR adds to the built-in models and replaces the ones of its names; a folder that is not there, or
# a fault in it, is said and nothing is rewritten.
. "$(dirname "$0")/common.sh"

cat >site.c <<'C'
#include <stdlib.h>
#include <string.h>
void mystery(char *);
volatile int sink;
int main(void) {
  char *block = malloc(40);
  block[0] = 0;
  mystery(block);
  sink = (int)strlen(block);
  free(block);
  return 0;
}
C
echo 'void mystery(char *p) { *p = 0; }' >mystery.c
mkdir models wrong
echo '- {name: mystery, type: v(p), effects: [writes a0]}' >models/mine.yaml
echo '- {name: mystery, type: v(p), effects: [wonders a0]}' >wrong/mine.yaml
silent "$CLANG" -shared -fPIC mystery.c -o libmystery.so
silent "$FCC" -O2 -c site.c
count() { sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" r.json | head -n 1; }
link() { "$FCC" site.o -L. -lmystery -Wl,-rpath,"$PWD" -o prog --freehold-report=r.json "$@" >said 2>&1 || fail "no link: $*"; }

link --freehold-models=models
grep -q 'stood aside' said && fail "one model more, and it stands aside: $(cat said)"
[ "$(count sites)" = 1 ] || fail "the built-in models are gone: $(cat said r.json)"
./prog || fail "it does not run"
for folder in nowhere wrong; do
  link --freehold-models=$folder
  grep -q 'models' said || fail "$folder is not spoken of: $(cat said)"
  ./prog || fail "it does not run with $folder"
done
