#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sections.sh - what only the loader, or a walk over a section, reaches is not lost at the link: constructors put into .init_array
# by hand and exported elements of a linker set run as under clang.
. "$(dirname "$0")/common.sh"

cat >set.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct element { const char *name; };
extern struct element __start_elements[], __stop_elements[];
int ran;
static void early(void) { ran = 1; }
__attribute__((section(".init_array"))) void (*by_hand)(void) = early;
__attribute__((section("elements"))) struct element first = {"first"};
int main(void) {
  volatile char *p = malloc(8);
  p[0] = 'x';
  printf("%d", ran);
  for (struct element *e = __start_elements; e < __stop_elements; e++)
    printf(" %s", e->name);
  putchar(p[0]);
  free((void *)p);
  return 0;
}
C
echo 'struct element { const char *name; }; __attribute__((section("elements"))) struct element second = {"second"};' >more.c
for level in 0 2; do
  "$CLANG" -O$level set.c more.c -o theirs
  silent "$FCC" -O$level -c set.c; silent "$FCC" -O$level -c more.c
  silent "$FCC" set.o more.o -o ours --freehold-report=r.json
  [ "$(./ours)" = "$(./theirs)" ] || fail "-O$level: $(./ours) instead of $(./theirs)"
  grep -q '"rewritten": *true' r.json || fail "-O$level: nothing was rewritten"
done
exit 0
