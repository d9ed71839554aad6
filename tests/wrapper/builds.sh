#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# builds.sh - CMake and Meson take freehold-cc for the clang it drives and build with it.
. "$(dirname "$0")/common.sh"

mkdir cm me; cp main.c helper.c plus.cpp cm; cp main.c helper.c plus.cpp me
cat >cm/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(hello C CXX)
message(STATUS "id=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_C_COMPILER_AR}")
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wall HAS_WALL)
check_c_compiler_flag(-fno-such-flag HAS_NONE)
find_package(Threads REQUIRED)
add_library(helper STATIC helper.c)
add_library(shared SHARED helper.c)
add_executable(hello main.c)
target_link_libraries(hello helper Threads::Threads)
add_executable(dyn main.c)
target_link_libraries(dyn shared)
add_executable(plus plus.cpp)
C
expect 0 cmake -S cm -B build-cm -DCMAKE_C_COMPILER="$FCC" -DCMAKE_CXX_COMPILER="$FCXX"
grep -q 'id=Clang 19[0-9.]* Clang' out || { cat out; fail "CMake's compiler id"; }
grep -q 'id=.*llvm-ar' out || fail "CMake found no llvm-ar"
grep -q 'HAS_WALL - Success' out && grep -q 'HAS_NONE - Failed' out || fail "CMake's flag checks"
expect 0 cmake --build build-cm
grep -q freehold-cc: out err && { cat out err; fail "CMake's build is not silent"; }
./build-cm/hello >out && ./build-cm/dyn >out && ./build-cm/plus >out || fail "programs of CMake"
if command -v meson >/dev/null && command -v ninja >/dev/null; then
  cat >me/meson.build <<'C'
project('hello', 'c', 'cpp')
cc = meson.get_compiler('c')
message('id', cc.get_id(), cc.version(), cc.get_linker_id())
assert(cc.has_argument('-Wall') and not cc.has_argument('-fno-such-flag') and cc.has_function('malloc'))
lib = static_library('helper', 'helper.c')
executable('hello', 'main.c', link_with: lib, dependencies: dependency('threads'))
executable('plus', 'plus.cpp')
C
  expect 0 env CC="$FCC" CXX="$FCXX" meson setup build-me me
  grep -q 'id clang 19' out || { cat out; fail "Meson's compiler id"; }
  expect 0 ninja -C build-me
  grep -q freehold-cc: out err && { cat out err; fail "Meson's build is not silent"; }
  ./build-me/hello >out && ./build-me/plus >out || fail "programs of Meson"
fi
exit 0
