#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# nowhere.sh - without clang-19, and without lld-19, the message names the package to install. LLVM's programs are hidden by
# something empty mounted over theirs, which this script's commands alone see.
. "$(dirname "$0")/common.sh"

mkdir empty none
unshare -m true 2>/dev/null || { echo "skipped: no mount namespace to be had (not root)"; exit 77; }
without() { unshare -m sh -c 'mount --bind empty "$1" && PATH=$2 && export PATH && shift 2 && exec "$@"' sh "$LLVM" "$HERE/none" "$@"; }
package='clang-19 was not found; on Debian: apt-get install clang-19 lld-19'
for args in "-c main.c" "--version" "main.c helper.c -o prog" "--freehold-off -c main.c" "-E main.c"; do
  # shellcheck disable=SC2086
  expect 127 without "$FCC" $args
  says "freehold-cc: error: $package"; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: $args"; }
done
expect 127 without "$FCXX" -c plus.cpp; says 'clang++-19 was not found; on Debian: apt-get install clang-19 lld-19'
expect 0 without "$FCC" --help
expect 3 without "$BIN/freehold" analyze main.c; says "apt-get install clang-19"
# Clang is there, lld is not: plain clang, which links with its own linker.
: >nothing
expect 0 unshare -m sh -c 'mount --bind nothing "$(readlink -f "$1")" && shift && exec "$@"' sh "$LLVM/ld.lld" "$FCC" main.c helper.c -o prog
says 'missing (on Debian: apt-get install lld-19): this is plain clang'; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line"; }
./prog >out || fail "without lld"
exit 0
