#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# foreign.sh - bitcode that the plugin cannot take (ThinLTO's, plain LTO's): the build succeeds without Freehold and says once why.
. "$(dirname "$0")/common.sh"

once() { expect 0 "$FCC" "$@"; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: $*"; }; says "linked without Freehold"; }
silent "$FCC" -c main.c
for lto in -flto=thin -flto; do
  expect 0 "$CLANG" $lto -ffat-lto-objects -c helper.c -o foreign.o
  once main.o foreign.o -o prog --freehold-report=r.json
  ./prog >out && grep -qx 135 out || fail "$lto -ffat-lto-objects"
  grep -q '"aside"' r.json || fail "the report does not say so"
done
expect 0 "$CLANG" -flto -c helper.c -o pure.o
once -flto -fuse-ld=lld main.o pure.o -o prog; ./prog >out && grep -qx 135 out || fail "-flto"
exit 0
