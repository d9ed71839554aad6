#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# atomics.sh LIBDIR INCLUDEDIR OBJDUMP CC - runs atomics.py over the libraries and over inlined code of both ways, by each
# compiler.
set -u
lib=$1 include=$2 objdump=$3 cc=$4
src=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
for compiler in "$cc" gcc; do
  command -v "$compiler" >/dev/null || continue
  name=$(basename "$compiler")
  "$compiler" -O2 -I"$include" -DFREEHOLD_STATIC=1 -c "$src/inlined.c" -o "$name-static.o" || exit 1
  "$compiler" -O2 -fPIC -I"$include" -c "$src/inlined.c" -o "$name-pointer.o" || exit 1
done
python3 "$src/atomics.py" "$objdump" "$lib/libfreehold.so" "$lib/libfreehold.a" ./*.o || exit 1
# What it must find: the same code with a lock in it.
printf 'int here; void pair(void) { __atomic_fetch_add(&here, 1, __ATOMIC_RELAXED); }\n' >atomic.c
"$cc" -O2 -c atomic.c && python3 "$src/atomics.py" "$objdump" atomic.o >/dev/null && { echo "FAILED: it does not see a lock"; exit 1; }
exit 0
