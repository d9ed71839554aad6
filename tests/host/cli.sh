#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cli.sh HOST-ECHO HOST PLACE: the command line of examples/host: help, messages, exit codes, limits, a stop by signal, its
# report, and that a wrong answer is found.
echo=$1 host=$2 pages=$3/pages
. "$(dirname "$0")/../check_command.sh"

check 0 '^usage: host serve' "$echo" --help
check 2 '^usage: host serve' "$echo"
check 2 'unknown option: --nonsense' "$echo" serve --nonsense 1 "$pages"
check 2 'a file name is missing: --engine' "$echo" serve "$pages" --engine
check 2 '--pool takes a number from 1 to 256' "$echo" serve --pool 0 "$pages"
check 2 '--port takes a number' "$echo" serve --port many "$pages"
check 2 "--each takes a number from 1 to 256, not ''" "$echo" test "$pages" --each
check 2 'not a command, or not its words: dance' "$echo" dance "$pages"
check 2 'load needs --port' "$echo" load "$pages/plan.txt"
check 2 'no such folder: ' "$echo" serve "$work/none"
check 2 'no plan ' "$echo" test "$work"
check 3 'linked with no engine: name one with --engine' "$host" serve "$pages"
check 3 'the engine cannot be loaded: ' "$host" serve --engine "$work/none.so" "$pages"
check 2 'cannot read the plan' "$host" load --port 9 "$work/none"
printf 'GET /page\n' >"$work/plan"
check 2 ':1: a line is METHOD TARGET STATUS TEXT' "$host" load --port 9 "$work/plan"
check 1 ' 3 wrong (3 of them without an answer)' "$host" load --port 1 --requests 3 "$pages/plan.txt"

# Wrong answers are found: another text, another status.
printf '# a comment\n\nGET /page?{} 200 number\nGET /page?{} 404\nGET /page?{} 200 {} clean\n' >"$work/plan"
check 1 ' 10 right, 20 wrong (0 of them' "$echo" test --requests 30 "$pages" "$work/plan"

# A server that stops after some requests, after some seconds, and when it is told to; the report as JSON.
"$echo" serve --requests 20 --warm 10 --stats "$work/json" "$pages" >"$work/serve" 2>&1 &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
  port=$(sed -n 's/^host: echo listens on 127.0.0.1:\([0-9]*\)$/\1/p' "$work/serve")
  [ -z "$port" ] || break
  sleep 0.2
done
check 4 'choose another with --port' "$echo" serve --port "$port" "$pages"
check 0 ' 20 right, 0 wrong' "$host" load --port "$port" --requests 20 "$pages/plan.txt"
wait $pid || { echo "FAIL: the server ended with $?"; cat "$work/serve"; failed=1; }
python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))
assert r["requests"] == 20 and r["warm_requests"] == 10 and r["threads"] == 4 and r["blocks"]["ended"] == 4, r' "$work/json" || failed=1
check 0 '^host: 0 requests' "$echo" serve --seconds 1 "$pages"
"$echo" serve "$pages" >"$work/serve" 2>&1 &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid || { echo "FAIL: SIGTERM ended it with $?"; failed=1; }
grep -q '^host: 4 threads' "$work/serve" || { echo "FAIL: after SIGTERM it said:"; cat "$work/serve"; failed=1; }
exit $failed
