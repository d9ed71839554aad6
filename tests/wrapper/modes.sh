#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# modes.sh - the same program at all levels, in C and C++, position-independent and not: built silently, runs alike.
. "$(dirname "$0")/common.sh"

for flags in -O0 -O1 -O2 -O3 -Os "-O2 -g" "-O2 -fPIC -pie" "-O2 -fno-pie -no-pie" "-O2 -ffunction-sections -Wl,--gc-sections" \
  "-O2 -fvisibility=hidden" "-O2 -flto" "-O2 -march=native" "-O2 -pthread" "-O2 -fuse-ld=lld" "-O2 -fno-plt -Wl,-z,now" "-O1 -fno-builtin"; do
  # shellcheck disable=SC2086
  silent "$FCC" $flags main.c helper.c -o prog
  ./prog >out || fail "C: $flags"
  grep -qx 135 out || fail "C: $flags: $(cat out)"
done
for flags in -O0 -O2 "-O2 -g" "-O2 -static" "-O2 -fvisibility-inlines-hidden"; do
  # shellcheck disable=SC2086
  silent "$FCXX" $flags plus.cpp -o prog
  ./prog >out || fail "C++: $flags"
  grep -qx 22 out || fail "C++: $flags: $(cat out)"
done
exit 0
