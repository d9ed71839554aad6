#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# dependencies.sh - -MD, -MMD, -MF, -MT with -c and with a link write what clang writes.
. "$(dirname "$0")/common.sh"

echo '#define X 1' >x.h; sed '1i #include "x.h"' helper.c >d.c
for flags in "-MD -c d.c" "-MMD -c d.c -o q.o" "-MD -MF dep.d -MT target -c d.c" "-MMD -MP d.c main.c -Dhelper=help -o prog" "-c d.c main.c"; do
  mkdir a b
  # shellcheck disable=SC2086
  (cp ./*.c x.h a; cd a && "$CLANG" $flags >out 2>err; echo $? >code)
  # shellcheck disable=SC2086
  (cp ./*.c x.h b; cd b && "$FCC" $flags >out 2>err; echo $? >code)
  (cd a && ls) >la; (cd b && ls) >lb
  cmp la lb || fail "other files: $flags"
  for f in a/*.d a/code a/out a/err; do
    [ ! -e "$f" ] || cmp "$f" "b/${f#a/}" || fail "$flags: $f"
  done
  rm -rf a b
done
exit 0
