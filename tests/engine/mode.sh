#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mode.sh ENGINE SOURCE MODULE CHECKS: one mode of the engine prints what every mode has to print, again and again, also after
# errors; and in many threads, if it has them.
engine=$1 source=$2 library=$3 checks=$4
here=$source/tests/engine
scripts=$source/examples/engine/scripts golden=$source/examples/engine/golden
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
  echo "FAIL: $*"
  failed=1
}

check() { # NAME WANTED-EXIT COMMAND...
  name=$1 wanted=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$wanted" ] || { fail "$name: exit $got, not $wanted"; tail -n 5 "$work/out"; tail -n 40 "$work/err"; }
}

check bench 0 "$engine" --expect "$golden/bench.txt" "$scripts/bench.eng"
check micro 0 "$engine" --expect "$golden/micro.txt" "$scripts/micro.eng"
check language 0 "$engine" --repeat 5 --expect "$here/language.txt" "$here/language.eng"
grep -q 'numbers: as expected' "$work/out" || fail "--expect names no row"

# All errors, one after the other in one process, each with its line.
(cd "$here" && "$engine" --repeat 1 errors.eng >"$work/out" 2>"$work/err")
[ $? -eq 1 ] || fail "errors: exit is not 1"
diff "$here/errors.txt" "$work/err" || fail "errors: other messages"

# A request leaves no memory behind, neither one that ends well nor one with an error: 300 of them need no more than three.
peak() {
  "$engine" --memory --repeat "$1" "$here/garbage.eng" "$2" 2>&1 | sed -n 's/^peak memory: //p'
}
for row in well error; do
  [ -z "$SANITIZED" ] || break # sanitizers keep freed memory
  few=$(peak 3 $row) many=$(peak 300 $row)
  [ "${many:-999999999}" -le $((few + 4096)) ] || fail "memory, $row: $few KiB after 3 requests, $many KiB after 300"
done

# What cannot be parsed ends with one line that says where.
while IFS= read -r line; do
  printf '%s\n' "$line" >"$work/bad.eng"
  check "syntax: $line" 1 "$engine" "$work/bad.eng"
  grep -q 'bad.eng:[12]: error: ' "$work/err" || fail "syntax: $line: $(cat "$work/err")"
done <"$here/syntax.txt"

# A module, linked with the engine and loaded from a file.
for module in tally "$library"; do
  check "module $module" 0 "$engine" --module "$module" --repeat 3 --expect "$here/module.txt" "$here/module.eng"
done

# The allocator's functions and macros, each way.
check checks 0 "$engine" --module "$checks" --expect "$here/checks.txt" "$here/checks.eng"

if [ "$(basename "$engine")" = engine-single ]; then
  check "threads in the build for one" 2 "$engine" --threads 2 "$here/language.eng"
else
  for module in tally "$library"; do
    check "threads, module $module" 0 "$engine" --module "$module" --threads 4 --repeat 3 --expect "$here/module.txt" "$here/module.eng"
    check "late module $module" 0 "$engine" --late-module "$module" --threads 4 --repeat 40 "$here/module.eng" late
  done
  check threads 0 "$engine" --threads 8 --repeat 2 --expect "$here/language.txt" "$here/language.eng"
  check "threads, rows" 0 "$engine" --threads 4 --repeat 2 "$scripts/bench.eng" fibo hash2 strcat matrix
fi
exit $failed
