# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# common.sh - read by every script here: a folder of its own, the names of the programs, and how to compare two commands.
# Environment: BIN (ours), LLVM, CLANG, CLANGXX, SOURCE.
set -u
HERE=$(mktemp -d) || exit 1
trap 'rm -rf "$HERE"' EXIT
cd "$HERE" || exit 1
FCC=$BIN/freehold-cc FCXX=$BIN/freehold-c++
PATH=$BIN:$LLVM:$PATH
export PATH

fail() { echo "FAILED: $*"; exit 1; }

# expect CODE COMMAND...: its exit code; its streams land in out and err
expect() {
  want=$1; shift
  "$@" >out 2>err; code=$?
  [ $code -eq "$want" ] || { cat out err; fail "exit $code instead of $want: $*"; }
}
silent() { expect 0 "$@"; [ ! -s out ] && [ ! -s err ] || { cat out err; fail "not silent: $*"; }; }
says() { grep -q -e "$1" err || { cat err; fail "stderr lacks: $1"; }; }
# same ARGS...: clang and freehold-cc print and exit alike; folder names of temporary files aside
same() {
  expect_same "$CLANG" "$FCC" "$@"
}
sameplus() { expect_same "$CLANGXX" "$FCXX" "$@"; }
expect_same() {
  theirs=$1 ours=$2; shift 2
  mask='s,/tmp/[A-Za-z0-9._/-]*,TMP,g'
  PATH=$(dirname "$theirs"):$PATH "$(basename "$theirs")" "$@" <"$INPUT" >out1 2>err1; code1=$?
  "$ours" "$@" <"$INPUT" >out2 2>err2; code2=$?
  sed "$mask" out1 >out1m; sed "$mask" out2 >out2m; sed "$mask" err1 >err1m; sed "$mask" err2 >err2m
  [ $code1 -eq $code2 ] || { cat err2; fail "exit $code2, clang's is $code1: $*"; }
  cmp -s out1m out2m || { diff out1m out2m | head; fail "another stdout than clang's: $*"; }
  cmp -s err1m err2m || { diff err1m err2m | head; fail "another stderr than clang's: $*"; }
}
INPUT=/dev/null

# code FILE: its code and relocations, as text
code() { "$LLVM/llvm-objdump" -d -r --no-show-raw-insn "$1" | tail -n +4; }
sections() { "$LLVM/llvm-readelf" -SW "$1"; }

cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int helper(int x);
int main(int argc, char **argv) {
  volatile char *p = malloc(argc * 10);
  int sum = 0;
  for (int i = 0; i < argc * 10; ++i)
    sum += p[i] = (char)helper(i);
  free((void *)p);
  printf("%d\n", sum);
  return argv == 0;
}
C
echo 'int helper(int x) { return x * 3; }' >helper.c
cat >plus.cpp <<'C'
#include <iostream>
#include <string>
#include <vector>
struct A { virtual int f() { return 1; } virtual ~A() {} };
struct B : A { int f() override { return 2; } };
int main() {
  std::vector<std::string> v{"a", "b"};
  A *a = new B;
  try { throw a->f(); } catch (int i) { std::cout << i << v.size() << "\n"; }
  delete a;
}
C
echo 'int broken( { return undeclared; }' >broken.c
