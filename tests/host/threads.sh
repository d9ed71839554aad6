#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# threads.sh HOST-ECHO HOST ENGINE PLACE: threads of a pool, threads that are replaced, a thread for each request, and such as end
# without a word, with an engine that is linked and with one that is loaded: every answer is right, no thread sees another's
# globals, each thread's globals are destroyed once, and at the end none are left but the main thread's.
linked=$1 host=$2 engine=$3 pages=$4/pages
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

try() { # COMMAND...: all is right; its words are in $work/out
  timeout 60 "$@" >"$work/out" 2>&1 || { echo "FAIL: $*: exit $?"; failed=1; }
  if ! grep -q ' 0 wrong' "$work/out" || ! grep -q '; 0 messages logged$' "$work/out"; then
    echo "FAIL: $*: answers are wrong, or globals were destroyed twice or in use"
    failed=1
  fi
  [ $failed = 0 ] || cat "$work/out"
}
said() { grep -q -- "$1" "$work/out" || { echo "FAIL: no '$1' in:"; cat "$work/out"; failed=1; }; }

for how in "$linked test" "$host test --engine $engine"; do
  try $how --requests 400 --pool 4 "$pages"
  said '^host: 4 threads, 0 of them ended without a word, at most 4 at a time'
  said 'thread blocks: 5 made, 4 ended, 1 there; 1 resources'
  # 400 requests in sevens: as many threads as that takes, and the pool's last ones.
  try $how --requests 400 --pool 3 --recycle 7 --silent 2 "$pages"
  said 'of them ended without a word, at most 3 at a time'
  said 'ended, 1 there; 1 resources'
  try $how --requests 400 --each 8 --silent 3 "$pages"
  said '^host: 400 threads, 133 of them ended without a word'
  said 'thread blocks: 401 made, 400 ended, 1 there'
  try $how --requests 400 --main "$pages"
  said '^host: 0 threads'
done
exit $failed
