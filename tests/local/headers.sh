#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# headers.sh INCLUDEDIR CC CXX - the public headers give no warning, in C11 and C++17 and later, with clang and gcc, inlined or
# not.
set -u
include=$1 failed=0 ran=0
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wredundant-decls -Wcast-qual -Werror"
try() { # try COMPILER LANGUAGE FLAGS...
  compiler=$1 language=$2
  shift 2
  command -v "$compiler" >/dev/null || { echo "no $compiler: not tried"; return; }
  for options in -O0 -O2 "-O2 -DFREEHOLD_STATIC=1" "-O2 -DFREEHOLD_NO_INLINE" -Os "$@"; do
    ran=$((ran + 1))
    "$compiler" $standard $warnings $options -I"$include" -x "$language" -fsyntax-only source.txt ||
      { echo "FAILED: $compiler $standard $options"; failed=$((failed + 1)); }
  done
}
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
cat >source.txt <<'TEXT'
#include <freehold/tls_malloc.h>
#ifdef __cplusplus
#include <freehold/allocator.hpp>
#endif
void use(size_t n);
void use(size_t n) {
  fh_heap_t *heap = fh_heap_self();
  fh_tls_free_sized(fh_tls_malloc(16), 16);
  fh_tls_free_sized(fh_tls_calloc(2, 16), 32);
  fh_heap_free_sized(heap, fh_heap_malloc(heap, n), n);
  fh_heap_free_sized(heap, fh_heap_calloc(heap, n, 3), n * 3);
  tls_free(tls_malloc(n));
}
TEXT
for standard in -std=c11 -std=gnu17; do try "$2" c; try gcc c; done
for standard in -std=c++17 -std=c++20; do try "$3" c++ "-O2 -fno-exceptions -fno-rtti"; try g++ c++ "-O2 -fno-exceptions -fno-rtti"; done
echo "$ran compilations, $failed failed"
[ $failed = 0 ]
