#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# wrapper.sh CMAKE BUILDDIR WORKDIR - installs the compilers into a prefix of their own and builds a CMake project with a static
# library from there: CMake finds LLVM's archiver, though the prefix has no llvm-ar that would stand before the distribution's.
set -u
cmake=$1 build=$2 work=$3
rm -rf "$work" && mkdir -p "$work/project" && cd "$work" || exit 1
"$cmake" --install "$build" --prefix "$work/prefix" >install.txt 2>&1 || { cat install.txt; echo "FAILED: install"; exit 1; }
for name in llvm-ar llvm-ranlib ar ranlib ld.lld; do
  [ ! -e "prefix/bin/$name" ] && [ ! -L "prefix/bin/$name" ] || { echo "FAILED: PREFIX/bin has $name"; exit 1; }
done
cat >project/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(Installed C CXX)
message(STATUS "archiver=${CMAKE_C_COMPILER_AR} ${CMAKE_CXX_COMPILER_RANLIB}")
add_library(half STATIC half.c)
add_executable(whole whole.cpp)
target_link_libraries(whole half)
TEXT
printf '#include <stdlib.h>\nint half(void) { char *p = malloc(9); *p = 3; int got = *p; free(p); return got; }\n' >project/half.c
printf 'extern "C" int half(void);\nint main() { return half() - 3; }\n' >project/whole.cpp
"$cmake" -S project -B out -DCMAKE_C_COMPILER="$work/prefix/bin/freehold-cc" -DCMAKE_CXX_COMPILER="$work/prefix/bin/freehold-c++" \
  -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF >configure.txt 2>&1 || { cat configure.txt; echo "FAILED: configure"; exit 1; }
grep -q "archiver=$work/prefix/bin/freehold-llvm-ar $work/prefix/bin/freehold-llvm-ranlib" configure.txt ||
  { cat configure.txt; echo "FAILED: CMake does not find the archiver"; exit 1; }
"$cmake" --build out >build.txt 2>&1 || { cat build.txt; echo "FAILED: build"; exit 1; }
grep 'freehold-cc:' build.txt && { echo "FAILED: not silent"; exit 1; }
out/whole || { echo "FAILED: the program"; exit 1; }
echo "the installed compilers work"
