#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# library.sh ENGINE-LOAD SOURCE LIBRARIES MODE...: the engine as a library that is loaded at run time prints the same in every
# mode, also with a module loaded after it, and in threads. Mode static is refused by the loader, and the host says so.
load=$1 source=$2 libraries=$3
shift 3
here=$source/tests/engine
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

check() { # WANTED-EXIT COMMAND...
  wanted=$1
  shift
  "$@" >"$work/out" 2>&1
  got=$?
  [ $got -eq "$wanted" ] || { echo "FAIL: $*: exit $got, not $wanted"; tail -n 20 "$work/out"; failed=1; }
}

for mode; do
  engine=$libraries/engine-$mode.so
  if [ "$mode" = static ]; then
    check 2 "$load" "$engine" "$here/language.eng"
    grep -q 'cannot allocate memory in static TLS block' "$work/out" || { echo "FAIL: it says:"; cat "$work/out"; failed=1; }
    continue
  fi
  threads="--threads 4"
  [ "$mode" = single ] && threads=
  check 0 "$load" "$engine" --expect "$source/examples/engine/golden/bench.txt" "$source/examples/engine/scripts/bench.eng"
  check 0 "$load" "$engine" $threads --repeat 3 --expect "$here/language.txt" "$here/language.eng"
  check 0 "$load" "$engine" $threads --module "$libraries/tally-$mode.so" --expect "$here/module.txt" "$here/module.eng"
done
check 2 "$load"
check 2 "$load" "$libraries/none.so"
exit $failed
