#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# probes.sh - what configure scripts, CMake, Meson and people ask a compiler: the answers are clang's, byte for byte.
. "$(dirname "$0")/common.sh"

for flags in -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld -print-file-name=libc.so -print-libgcc-file-name \
  -print-multi-os-directory -print-resource-dir --print-targets -print-target-triple -v -qversion --help-hidden "" -c -V -E -S \
  -Wl,--version nosuchfile.c "-c nosuchfile.c" --nosuchoption "-c main.c -o no/such/folder/x.o" \
  "-E main.c" "-E -dM main.c" "-M main.c" "-MM main.c" "-S main.c -o -" "-S -O2 helper.c -o -" "-fsyntax-only main.c" "-c helper.c -o -" \
  "-### -c main.c" "-### main.c helper.c" "-Wall -Wextra -Werror -c main.c" "-x assembler-with-cpp -E main.c" "-x c -E -" \
  "-c broken.c" "-S broken.c" broken.c "-emit-llvm" "-m32 -E main.c" "--target=aarch64-linux-gnu -S helper.c -o -" \
  "--target=aarch64-linux-gnu -c helper.c -o arm.o" "-c -x assembler /dev/null -o empty.o" "-Wunused -Wl,-z,defs -c helper.c -Werror" \
  "-lm -c helper.c" "-L. -Wl,-O1 helper.c -c" "-fno-such-flag -c helper.c" "-Wno-such-warning -c helper.c" "-r helper.c -o r.o"; do
  # shellcheck disable=SC2086
  same $flags
done
for flags in -dumpversion -print-search-dirs "-### plus.cpp" "-E -x c++ -dM helper.c" "-c broken.c"; do
  # shellcheck disable=SC2086
  sameplus $flags
done
INPUT=main.c
same -E -x c -
same -x c -fsyntax-only -
same -S -x c - -o -
exit 0
