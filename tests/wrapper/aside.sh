#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# aside.sh - where Freehold cannot go along it says so in one line, once, and the result is plain clang's.
. "$(dirname "$0")/common.sh"

aside() { expect 0 "$FCC" "$@"; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "not one line: $*"; }; [ ! -s out ] || fail "stdout: $*"; }
aside -flto=thin -c helper.c
aside -fno-lto -c helper.c;               sections helper.o | grep -q llvm.lto && fail "bitcode with -fno-lto"
aside -emit-llvm -c helper.c -o helper.bc
aside -emit-llvm -S helper.c -o other.ll
aside -fuse-ld=bfd main.c helper.c -o prog; ./prog >out || fail "-fuse-ld=bfd"
aside --ld-path=/usr/bin/ld main.c helper.c -o prog; ./prog >out || fail "--ld-path"
for sanitizer in address thread leak; do
  aside -fsanitize=$sanitizer main.c helper.c -o prog; ./prog >out 2>&1 || fail "-fsanitize=$sanitizer"
  silent "$FCC" -fsanitize=$sanitizer -c helper.c
  sections helper.o | grep -q llvm.lto && fail "bitcode with -fsanitize=$sanitizer"
done
silent "$FCC" -fsanitize=undefined -c helper.c
# other targets, other languages: the objects are silent, the program says it once, in the report too
echo 'void _start(void) { __asm__("mov $1,%eax; xor %ebx,%ebx; int $0x80"); }' >bare32.c
for target in -m32 "-target i386-linux-gnu" --target=i686-pc-linux-gnu "-m64 -m32"; do
  # shellcheck disable=SC2086
  silent "$FCC" $target -c bare32.c
  rm -f r.json
  # shellcheck disable=SC2086
  aside $target -nostdlib -static bare32.o -o bare32 --freehold-report=r.json; says "x86-64"
  grep -q '"aside"' r.json || fail "$target: no report that says so"
done
silent "$FCC" -m32 -m64 -c helper.c; sections helper.o | grep -q llvm.lto || fail "-m64 is ours"
expect 3 "$FCC" -m32 --freehold-report=no/such/r.json bare32.c
expect 0 "$CLANG" -S -emit-llvm helper.c -o helper.ll
rm -f r.json; aside main.c helper.ll -o prog --freehold-report=r.json; says "helper.ll"; ./prog >out || fail "IR"
grep -q '"aside"' r.json || fail "IR: no report that says so"
silent "$FCC" -c helper.ll
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
echo '{ global: main; local: *; };' >hide.map
aside main.o helper.o -Wl,--version-script=hide.map -o prog; ./prog >out || fail "version script"
echo 'void _start(void) { __asm__("mov $60,%eax; xor %edi,%edi; syscall"); }' >bare.c
aside -nostdlib -static bare.c -o bare; ./bare || fail "-nostdlib"
silent "$FCC" --freehold-off -c helper.c; sections helper.o | grep -q llvm.lto && fail "--freehold-off"
silent "$FCC" -c helper.c
mkdir kept; cd kept || exit 1
aside -save-temps -c ../helper.c; [ -s helper.s ] || fail "-save-temps keeps nothing"; mv helper.o helper-kept.o
aside -save-temps=obj ../main.c helper-kept.o -o prog --freehold-report=r.json; ./prog >out || fail "-save-temps"
grep -q '"aside"' r.json || fail "no report that says so"
aside -fembed-bitcode -c ../helper.c
cd .. || exit 1
silent "$FCC" -E -save-temps helper.c -o helper.i
# what stays behind is not ours to mention, but must work: precompiled headers, assembly
echo 'int inheader(int);' >h.h
silent "$FCC" -x c-header h.h -o h.pch
silent "$FCC" -include-pch h.pch -c helper.c
silent "$FCC" -S -O1 helper.c; silent "$FCC" main.o helper.s -o prog; ./prog >out || fail "assembly"
silent "$FCC" -E main.c -o main.i; silent "$FCC" main.i helper.c -o prog; ./prog >out || fail "preprocessed"
INPUT=helper.c; "$FCC" -x c -c - -o fromstdin.o <helper.c >out 2>err || fail "stdin"
sections fromstdin.o | grep -q llvm.lto || fail "stdin: no bitcode"
exit 0
