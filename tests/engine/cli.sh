#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cli.sh ENGINE SOURCE MODULES: the command line: help, lists, exit codes, messages.
engine=$1 scripts=$2/examples/engine/scripts
. "$(dirname "$0")/../check_command.sh"

check 0 '^Usage: engine' "$engine" --help
check 2 'see engine --help' "$engine"
check 2 'no such option' "$engine" --nonsense "$scripts/bench.eng"
check 2 'argument is missing' "$engine" --repeat
check 2 'number from 1' "$engine" --repeat many "$scripts/bench.eng"
check 2 'number from 1' "$engine" --threads 0 "$scripts/bench.eng"
check 2 'has no row nothing' "$engine" "$scripts/bench.eng" simple nothing
check 3 'cannot be read' "$engine" "$work/none.eng"
check 3 'cannot be read' "$engine" --expect "$work/none" "$scripts/bench.eng"
check 0 '^nestedloop$' "$engine" --list "$scripts/bench.eng"
check 0 '^ternary_computed$' "$engine" --list "$scripts/micro.eng"
check 0 '^== fibo$' "$engine" "$scripts/bench.eng" fibo

check 3 'no module nobody' "$engine" --module nobody "$scripts/bench.eng"
check 3 'cannot open' "$engine" --module ./nobody.so "$scripts/bench.eng"
check 3 'no module for an engine of this mode' "$(dirname "$engine")/engine-static" --module "$3/tally-gs.so" "$scripts/bench.eng"

# A wrong expectation is found, and one that is missing.
printf '== simple\n100000 100001\n== fibo\n6765\n' >"$work/expected"
check 1 '^simple: differs$' "$engine" --expect "$work/expected" "$scripts/bench.eng" simple
check 0 '^fibo: as expected$' "$engine" --expect "$work/expected" "$scripts/bench.eng" fibo
check 1 '^sieve: nothing is expected' "$engine" --expect "$work/expected" "$scripts/bench.eng" sieve

# A script that does not end is ended, in a loop and in calls.
echo 'for (;;) $i++;' >"$work/loop.eng"
check 1 'loop.eng:1: error: interrupted' "$engine" --limit 50 "$work/loop.eng"
printf 'function f($n) {\n  return $n ? f($n - 1) + f($n - 1) : 1;\n}\nf(60);\n' >"$work/calls.eng"
check 1 'error: interrupted' "$engine" --limit 50 "$work/calls.eng"

[ "$("$engine" --list "$scripts/bench.eng" | wc -l)" -eq 18 ] || { echo "FAIL: bench.eng has not 18 rows"; failed=1; }
[ "$("$engine" --list "$scripts/micro.eng" | wc -l)" -ge 32 ] || { echo "FAIL: micro.eng has not 31 rows and the empty loop"; failed=1; }
exit $failed
