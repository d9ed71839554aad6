#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# wrapped.sh - --wrap of a function that an object or an archive of ours defines: calls go where clang's do, in whatever way the
# option is spelled, also in shared libraries; one line names the object that is linked as a plain one.
. "$(dirname "$0")/common.sh"

cat >call.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int take(int x);
int __real_take(int x);
int __wrap_take(int x);
int __wrap_take(int x) { return __real_take(x) + 100; }
int main(void) {
  volatile char *p = malloc(40);
  p[3] = 1;
  printf("%d\n", take(p[3]));
  free((void *)p);
  return 0;
}
C
echo 'int take(int x) { return x + 1; } int twice(int x) { return take(x) + take(x); }' >take.c
echo '-Wl,--wrap=take' >args; echo '--wrap=take' >linkargs
for level in 0 2; do
  silent "$FCC" -O$level -c call.c; silent "$FCC" -O$level -c take.c; rm -f libtake.a; ar rc libtake.a take.o
  for flags in -Wl,--wrap=take "-Wl,--wrap -Wl,take" @args -Wl,@linkargs; do
    for inputs in "call.o take.o" "call.o libtake.a" "call.o -L. -ltake" "call.c take.c"; do
      # shellcheck disable=SC2086
      expect 0 "$FCC" -O$level $inputs $flags -o prog --freehold-report=r.json; ./prog >out || fail "$inputs $flags"
      [ "$(cat out)" = 102 ] || fail "-O$level $inputs $flags: $(cat out) instead of 102"
      [ "$(wc -l <err)" = 1 ] || { cat err; fail "not one line"; }
      says "linked as a plain object, it defines 'take'"
      grep -q '"rewritten": *true' r.json || fail "malloc's site was lost with $inputs $flags"
    done
  done
done
# nobody of ours defines it: not a word
cat >outer.c <<'C'
#include <stdlib.h>
int puts(const char *s);
int __wrap_abs(int x);
int __wrap_abs(int x) { return x + 7; }
int main(void) { volatile char *p = malloc(40); p[3] = 1; int r = abs(p[3]) != 8; free((void *)p); return r; }
C
silent "$FCC" -O2 -fno-builtin-abs outer.c -Wl,--wrap=abs -o prog --freehold-report=r.json; ./prog || fail "a function of libc's"
grep -q '"rewritten": *true' r.json || fail "--wrap of libc's function keeps Freehold from the program"
exit 0
