#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# foreign.sh - bitcode of another kind of LTO (ThinLTO's, plain full LTO's) on a line with ours: a link that clang can do
# succeeds, with Freehold where that is possible, and one line names what is not analysed; the report too.
. "$(dirname "$0")/common.sh"

# beside OBJECT OPTIONS...: one line names the object, the site of main.o is rewritten, the program is right
beside() {
  object=$1; shift
  rm -f prog; expect 0 "$FCC" "$@" main.o "$object" -o prog --freehold-report=r.json
  [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: $object $*"; }
  says "$object: its code is not analysed"
  ./prog >out && grep -qx 135 out || fail "$object $*"
  python3 -c 'import json, sys; r = json.load(open("r.json")); assert r["summary"]["rewritten"] == 1 and sys.argv[1] in json.dumps(r["assumptions"]), r' \
    "$object" || fail "the report of $object"
}
silent "$FCC" -O2 -c main.c
expect 0 "$CLANG" -O2 -c main.c -o cmain.o
for lto in thin full; do
  expect 0 "$CLANG" -flto=$lto -ffat-lto-objects -O2 -c helper.c -o $lto-fat.o
  expect 0 "$CLANG" -flto=$lto -O2 -c helper.c -o $lto.o
  expect 0 "$FCC" -flto=thin -O2 -c helper.c -o ours.o
  beside $lto-fat.o
  for how in -flto -fuse-ld=lld "-flto -fuse-ld=lld"; do
    # shellcheck disable=SC2086
    { beside $lto-fat.o $how; beside $lto.o $how; beside ours.o $how; }
  done
  # Freehold stands aside, clang's ThinLTO gets the native half of ours
  for object in $lto.o $lto-fat.o ours.o; do
    rm -f prog; expect 0 "$FCC" -flto=thin main.o $object -o prog --freehold-report=r.json; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: thin"; }
    ./prog >out && grep -qx 135 out || fail "-flto=thin $object"
    grep -q '"aside"' r.json || fail "-flto=thin: the report does not say so"
  done
  expect 0 "$FCC" -flto=thin main.o helper.c -o prog; ./prog >out || fail "-flto=thin, compiled and linked"
done
# in an archive nothing can be made fit: without Freehold, which is said
rm -f lib.a; expect 0 llvm-ar rc lib.a thin.o
for how in -flto "-flto -fuse-ld=lld"; do
  # shellcheck disable=SC2086
  expect 0 "$FCC" $how main.o lib.a -o prog --freehold-report=r.json; says "linked without Freehold"; ./prog >out && grep -qx 135 out || fail "archive"
  grep -q '"aside"' r.json || fail "archive: the report does not say so"
done
rm -f ours.a; expect 0 llvm-ar rc ours.a main.o
expect 0 "$FCC" -flto=thin thin.o ours.a -o prog; ./prog >out || fail "ours in an archive"
exit 0
