#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# help.sh - --help is ours, names clang for all else, and the man page has every option it lists.
. "$(dirname "$0")/common.sh"

expect 0 "$FCC" --help
grep -q "All other options are clang's" out || fail "--help does not point to clang"
options=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' out)
[ "$(echo "$options" | wc -l)" -ge 10 ] || fail "--help lists too little"
for option in $options; do
  sed 's/\\-/-/g' "$SOURCE/docs/man/freehold-cc.1" | grep -q -e "$option" || fail "the man page lacks $option"
done
for option in $(sed 's/\\-/-/g' "$SOURCE/docs/man/freehold-cc.1" | sed -n 's/^\.BI* \(--freehold-[a-z][a-z-]*\).*/\1/p'); do
  echo "$options" | grep -qx -e "$option" || fail "the man page has $option, --help has not"
done
expect 0 "$FCXX" --help
grep -q "freehold-c++ is clang++-19" out || fail "freehold-c++ --help"
exit 0
