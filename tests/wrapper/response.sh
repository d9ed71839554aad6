#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# response.sh - response files with GNU quoting, nested ones, our options in them, and very long lines.
. "$(dirname "$0")/common.sh"

echo 'int spaced(void) { return 0; }' >'with space.c'
echo '"-c" '"'with space.c'"' -o with\ space.o --freehold-check' >args
silent "$FCC" @args
[ -s 'with space.o' ] || fail "quoting"
echo '@args' >outer
rm 'with space.o'; silent "$FCC" @outer
[ -s 'with space.o' ] || fail "nesting"
same @nosuchfile
i=0; { while [ $i -lt 9000 ]; do echo "-DNAME_$i=\\\"a\\ b\\\""; i=$((i + 1)); done; echo '-c helper.c -o long.o'; } >args
silent "$FCC" @args
[ -s long.o ] || fail "a long line"
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
echo 'main.o helper.o -o prog -Wl,--as-needed' >args
silent "$FCC" @args; ./prog >out || fail "link"
exit 0
