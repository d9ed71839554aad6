#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# symbols.sh - what nm, ar and ranlib list where LLVM's plugin shows them the bitcode half: the names that clang's own fat objects
# show, so malloc is malloc; and any linker that takes that half finds no name of ours in it.
. "$(dirname "$0")/common.sh"
FAT="-flto -funified-lto -fno-split-lto-unit -ffat-lto-objects"

cat >sites.c <<'C'
#include <stdlib.h>
#include <string.h>
int common, variable = 3;
static int hidden;
__attribute__((weak)) int weak(void) { return hidden; }
void dead(void) { free(malloc(8)); }
void *one(size_t n) { ++hidden; return malloc(n); }
void *more(void *p, size_t n) { return realloc(p ? p : calloc(n, 2), n); }
char *text(const char *s) { void *p; return posix_memalign(&p, 64, 9) ? strdup(s) : strndup(s, 5); }
C
GOLD=$LLVM/../lib/LLVMgold.so
listings="$LLVM/llvm-nm"
if [ -e "$GOLD" ]; then listings="$listings
nm --plugin $GOLD"; else skipped="no LLVMgold.so (package llvm-19-linker-tools): binutils were not asked"; fi
for level in 0 1 2 3; do
  for source in sites.c main.c plus.cpp; do
    ours=$FCC theirs=$CLANG
    case $source in *.cpp) ours=$FCXX theirs=$CLANGXX ;; esac
    silent "$ours" -O$level -c $source -o ours.o
    # shellcheck disable=SC2086
    expect 0 "$theirs" -O$level $FAT -c $source -o theirs.o
    "$LLVM/llvm-objcopy" --dump-section=.llvm.lto=ours.bc ours.o; "$LLVM/llvm-objcopy" --dump-section=.llvm.lto=theirs.bc theirs.o
    "$LLVM/llvm-nm" ours.bc | grep -q ' [tT] ' || fail "the bitcode half lists nothing"
    echo "$listings" | while read -r nm; do
      for kind in o bc; do
        $nm ours.$kind >ours.list; $nm theirs.$kind >theirs.list
        [ -s ours.list ] || fail "$nm lists nothing of $source"
        diff theirs.list ours.list || fail "$nm lists other symbols of $source at -O$level than of clang's"
      done
    done || exit 1
  done
done

# A link without our plugin, by clang's LTO and by its driver's own linker.
silent "$FCC" -O2 -c main.c; silent "$FCC" -O2 -c helper.c
# shellcheck disable=SC2086
expect 0 "$CLANG" $FAT -fuse-ld=lld main.o helper.o -o lto; ./lto >out || fail "lld without the plugin"
grep -qx 135 out || fail "lld without the plugin: $(cat out)"
if [ -e "$GOLD" ]; then
  expect 0 ar --plugin "$GOLD" rc libboth.a main.o helper.o; expect 0 ranlib --plugin "$GOLD" libboth.a
  nm --plugin "$GOLD" libboth.a | grep fh_ && fail "an archive's list names a stand-in"
  silent "$FCC" libboth.a -o prog; ./prog >out || fail "archive"
fi
[ -z "${skipped-}" ] || { echo "skipped: $skipped"; exit 77; }
exit 0
