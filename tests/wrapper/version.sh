#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# version.sh - --version is clang's text and one line of ours; the version CMake reads is clang's.
. "$(dirname "$0")/common.sh"

"$CLANG" --version >clang.txt
expect 0 "$FCC" --version
echo "freehold-cc 0.1.0" >>clang.txt
cmp out clang.txt || fail "--version: $(cat out)"
expect 0 "$FCXX" --version
tail -n 1 out | grep -qx "freehold-cc 0.1.0" || fail "freehold-c++ --version"
exit 0
