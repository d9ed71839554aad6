#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# redefined.sh - malloc redefined by the link (--wrap, --defsym, a linker script), however it is spelled: no site is rewritten.
. "$(dirname "$0")/common.sh"

cat >site.c <<'C'
#include <stdlib.h>
int main(void) { volatile char *p = malloc(40); p[3] = 1; free((void *)p); return p == 0; }
C
cat >other.c <<'C'
#include <stdlib.h>
int count __attribute__((used));
void *__wrap_malloc(size_t n) { ++count; return calloc(1, n); }
C
echo 'malloc = __wrap_malloc;' >assign.ld
echo '-Wl,--wrap=malloc' >args
rewritten() { sed -n 's/.*"rewritten": *\([0-9][0-9]*\).*/\1/p' r.json | head -n 1; }
silent "$FCC" -O2 site.c other.c -o prog --freehold-report=r.json; ./prog || fail "plain"
[ "$(rewritten)" = 1 ] || fail "the site is not rewritten in the first place: $(cat r.json)"
for flags in -Wl,--wrap=malloc -Wl,--wrap,malloc "-Xlinker --wrap -Xlinker malloc" -Wl,-wrap=malloc -Wl,--defsym=malloc=__wrap_malloc \
  "-Wl,--defsym,malloc=__wrap_malloc" @args assign.ld; do
  # shellcheck disable=SC2086
  expect 0 "$FCC" -O2 site.c other.c $flags -o prog --freehold-report=r.json; ./prog || fail "$flags"
  [ "$(rewritten)" = 0 ] || fail "rewritten in spite of $flags"
done
exit 0
