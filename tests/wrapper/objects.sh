#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# objects.sh - objects are ordinary objects: gcc, ld.bfd, nm, objcopy and strip work on them; code is plain clang's.
. "$(dirname "$0")/common.sh"

for level in 0 1 2 3 s; do
  for source in main.c helper.c; do
    silent "$FCC" -O$level -c $source -o ours.o
    expect 0 "$CLANG" -O$level -c $source -o theirs.o
    code ours.o >ours.s; code theirs.o >theirs.s
    cmp ours.s theirs.s || fail "other code at -O$level: $source"
    sections ours.o | grep -q '\.llvm\.lto' || fail "no bitcode half"
    sections ours.o | grep -q '\.debug' && fail "debug sections without -g"
  done
  for option in -fno-builtin -ffreestanding "-fno-builtin-malloc -fno-builtin-free"; do
    # shellcheck disable=SC2086
    silent "$FCC" -O$level $option -c main.c -o ours.o
    # shellcheck disable=SC2086
    expect 0 "$CLANG" -O$level $option -c main.c -o theirs.o
    code ours.o >ours.s; code theirs.o >theirs.s
    cmp ours.s theirs.s || fail "other code at -O$level $option"
  done
  for source in plus.cpp "$SOURCE/tests/soundness/std_function.cc" "$SOURCE/tests/soundness/virtual_call.cc" \
    "$SOURCE/tests/soundness/exception_thrown.cc"; do
    silent "$FCXX" -O$level -w -c "$source" -o ours.o
    expect 0 "$CLANGXX" -O$level -w -c "$source" -o theirs.o
    code ours.o >ours.s; code theirs.o >theirs.s
    cmp ours.s theirs.s || fail "other code at -O$level: $source"
  done
  silent "$FCXX" -O$level -c plus.cpp
  expect 0 "$CLANGXX" plus.o -o plain; ./plain >out || fail "C++ without Freehold"
  grep -qx 22 out || fail "C++ without Freehold: $(cat out)"
done
silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c
expect 0 "$CLANG" main.o helper.o -o plain && ./plain >out || fail "clang and ld.bfd"
expect 0 ld -r main.o -o relocated.o
nm main.o | grep -q ' U malloc' || fail "nm does not see malloc"
if command -v gcc >/dev/null; then expect 0 gcc main.o helper.o -o gccs && ./gccs >out || fail "gcc"; fi
cp main.o stripped.o; expect 0 strip --strip-unneeded stripped.o
silent "$FCC" stripped.o helper.o -o prog; ./prog >out || fail "stripped object"
expect 0 objcopy main.o copied.o
silent "$FCC" copied.o helper.o -o prog; ./prog >out || fail "copied object"
exit 0
