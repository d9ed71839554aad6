#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# configure.sh - with --freehold-report=%o.json in CC the probes of configure scripts, CMake and Meson leave no report behind,
# what is really built does.
. "$(dirname "$0")/common.sh"
CC="$FCC --freehold-report=$HERE/reports/%o.json" CXX="$FCXX --freehold-report=$HERE/reports/%o.json"
export CC CXX
mkdir reports
# only NAME...: exactly these reports
only() {
  printf '%s\n' "$@" | sort >want.list
  ls reports | sed 's/\.json$//' | sort >got.list
  diff want.list got.list || fail "other reports than $*"
  rm -f reports/*
}

# As autoconf's scripts ask: by the source, by the output, from stdin, and with a report that has one name for all.
cp main.c conftest.c; cat helper.c >>conftest.c; cp conftest.c prog.c
silent $CC conftest.c; silent $CC -o conftest conftest.c; silent $CC -c conftest.c; silent $CC -shared -fPIC -o conftest.so conftest.o
silent $CC conftest.o -o conftest.exe; $CC -x c - -o conftest2 <prog.c || fail "from stdin"
silent "$FCC" --freehold-report="$HERE/reports/one.json" conftest.c -o x
silent "$FCC" --freehold-report="$HERE/no/such/folder/%o.json" conftest.c -o conftest
[ -z "$(ls reports)" ] || fail "a probe left $(ls reports)"
for name in prog ztest; do
  silent $CC prog.c -o $name
done
cp prog.c testfile.c; silent $CC testfile.c -o testfile
only prog ztest testfile
"$FCC" --help >out
for pattern in 'conftest\*' 'cmTC_\*' 'ztest\[0-9\]\*' 'sanitycheckc\*' 'output.exe' 'CMakeC\*CompilerId\*'; do
  tr -s ' \n' ' ' <out | grep -q -e "$pattern" || fail "--help does not name $pattern"
  sed 's/\\-/-/g' "$SOURCE/docs/man/freehold-cc.1" | grep -q -e "$pattern" || fail "the man page does not name $pattern"
done

mkdir cm; cp main.c helper.c cm
cat >cm/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(hello C CXX)
include(CheckFunctionExists)
check_function_exists(malloc HAS_MALLOC)
find_package(Threads REQUIRED)
add_executable(hello main.c helper.c)
C
expect 0 cmake -S cm -B build-cm
grep -q 'HAS_MALLOC - found\|malloc - found' out || { cat out; fail "CMake's probe"; }
expect 0 cmake --build build-cm
only hello
if command -v meson >/dev/null && command -v ninja >/dev/null; then
  mkdir me; cp main.c helper.c me
  cat >me/meson.build <<'C'
project('hello', 'c')
cc = meson.get_compiler('c')
assert(cc.has_function('malloc') and cc.links('int main(void) { return 0; }') and cc.sizeof('int') == 4)
executable('hello', 'main.c', 'helper.c', dependencies: dependency('threads'))
C
  expect 0 meson setup build-me me; expect 0 ninja -C build-me
  only hello
fi
fetched=$("$SOURCE/bench/fetch" zlib 2>err) || { echo "skipped: zlib's source could not be fetched: $(cat err)"; exit 77; }
cp -r "$(echo "$fetched" | tail -n 1)" zlib; cd zlib || exit 1
[ -e zconf.h ] || cp zconf.h.in zconf.h
expect 0 ./configure
expect 0 make -j2 libz.so.1.3.1 example minigzip
cd ..
only libz.so.1.3.1 example minigzip
exit 0
