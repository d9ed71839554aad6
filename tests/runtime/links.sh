#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# links.sh CC CXX LIBDIR INCLUDEDIR SOURCEDIR WORKDIR - the ways users link and load libfreehold, and who may stand in front of
# it.
set -u
cc=$1 cxx=$2 lib=$3 include=$4 src=$5 work=$6
mkdir -p "$work" && cd "$work" || exit 1
failed=0 ran=0
preload_je=/usr/lib/$(uname -m)-linux-gnu/libjemalloc.so.2
preload_mi=/usr/lib/$(uname -m)-linux-gnu/libmimalloc.so.2
echo 'int main(void) { return 0; }' >empty.c
lld=
$cc -fuse-ld=lld empty.c -o empty 2>/dev/null && lld=-fuse-ld=lld
archive="$lld -Wl,-u,malloc $lib/libfreehold.a -lpthread"
shared="$lld -L$lib -Wl,-rpath,$lib -lfreehold -lpthread"
flags="-O1 -fno-builtin -D_GNU_SOURCE -I$include -I$src"
foreign="another malloc stands in front"

# expect NAME OUT ERR COMMAND...: exit 0, OUT on stdout, and on stderr exactly one line with ERR (or nothing, if ERR is empty).
expect() {
  name=$1 out=$2 err=$3
  shift 3
  ran=$((ran + 1))
  if ! "$@" >out.txt 2>err.txt; then
    echo "FAILED $name: $* ($(head -c 300 err.txt))"; failed=$((failed + 1)); return
  fi
  [ "$(cat out.txt)" = "$out" ] || { echo "FAILED $name: printed '$(head -c 200 out.txt)'"; failed=$((failed + 1)); return; }
  if [ -z "$err" ]; then
    [ ! -s err.txt ] || { echo "FAILED $name: said '$(head -c 300 err.txt)'"; failed=$((failed + 1)); }
  else
    [ "$(grep -c "$err" err.txt)" = 1 ] || { echo "FAILED $name: stderr '$(head -c 300 err.txt)'"; failed=$((failed + 1)); }
  fi
}
build() { "$@" || { echo "FAILED to build: $*"; failed=$((failed + 1)); }; }

build $cc $flags $src/override_api.c -o plain
build $cc $flags -DWITH_FREEHOLD $src/override_api.c -o api_so $shared
for how in "-pie -fPIE" "-no-pie -fno-PIE" "-static" "-static-pie -fPIE"; do
  build $cc $flags $how -DWITH_FREEHOLD $src/override_api.c -o api_a $archive
  expect "archive $how" done "" ./api_a ours
  build $cc $flags $how $src/first_call.c -o first_a $archive
  expect "first call $how" done "" ./first_a
  expect "first call free $how" done "" ./first_a free
  expect "first call realloc $how" done "" ./first_a realloc
  build $cc $flags $how $src/no_malloc.c -o none_a $archive
  expect "no malloc of its own $how" ours "" ./none_a
done
build $cc $flags -DWITH_FREEHOLD $src/override_api.c -o api_a $archive
build $cc $flags -DWITH_FREEHOLD $src/override_api.c -o api_bfd $archive -fuse-ld=bfd
expect "archive, ld.bfd" done "" ./api_bfd ours
build $cc $flags $src/no_malloc.c -o none
expect "preloaded, no malloc of its own" ours "" env LD_PRELOAD=$lib/libfreehold.so ./none
expect "shared" done "" ./api_so ours
expect "preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so ./plain ours
# The same expectations of glibc's malloc and ours.
conform="$cc $flags -Wno-non-power-of-two-alignment -Wno-deprecated-declarations $src/conformance.c"
build $conform -o conform
expect "conformance, glibc" done "" ./conform
expect "conformance, preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so ./conform ours
for how in "-pie -fPIE" "-static"; do
  build $conform $how -o conform_a $archive -ldl
  expect "conformance, archive $how" done "" ./conform_a ours
done
build $cc $flags $src/override_api.c -c -o plain.o
expect "preloaded, a program of many threads and much memory" "" "" env LD_PRELOAD=$lib/libfreehold.so sort --parallel=4 -S 8M -o sorted.txt plain.o
expect "preloaded ls" "$(ls /)" "" env LD_PRELOAD=$lib/libfreehold.so ls /

for other in $preload_je $preload_mi; do
  [ -e $other ] || { echo "skipped: $other is not installed"; continue; }
  expect "$other before preloaded" done "$foreign" env LD_PRELOAD=$other:$lib/libfreehold.so ./plain
  expect "$other after preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so:$other ./plain ours
  expect "$other before shared" done "$foreign" env LD_PRELOAD=$other ./api_so other
  expect "$other before archive" done "" env LD_PRELOAD=$other ./api_a ours
done
if command -v valgrind >/dev/null; then
  quiet="valgrind -q --error-exitcode=9 --show-mismatched-frees=no"
  expect "memcheck shared" done "$foreign" $quiet ./api_so other
  expect "memcheck archive" done "$foreign" $quiet ./api_a other
  expect "no tool, archive" done "" valgrind -q --tool=none ./api_a ours
  expect "no tool, preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so valgrind -q --tool=none ./plain
else
  echo "skipped: valgrind is not installed"
fi

build $cc -O1 -fno-builtin -fPIC -c $src/own_malloc.c -o own_malloc.o
rm -f libown.a && ar rcs libown.a own_malloc.o && $cc -shared own_malloc.o -o libown.so
build $cc $flags -DWITH_FREEHOLD $src/own_malloc_user.c own_malloc.o -o own_object $archive
build $cc $flags $src/own_malloc_user.c libown.a -o own_archive $archive
build $cc $flags $src/own_malloc_user.c -o own_library -L. -Wl,-rpath,. -lown $archive
build $cc $flags -static $src/own_malloc_user.c own_malloc.o -o own_static $archive
build $cc $flags $src/own_malloc_user.c own_malloc.o -o own_shared $shared
for kind in object archive library static shared; do
  expect "own malloc: $kind" done "$foreign" ./own_$kind
done

build $cc $flags $src/late_dlopen.c -o late -ldl
expect "late dlopen" done "$foreign" ./late $lib/libfreehold.so

build $cxx $flags -std=c++17 $src/destructors.cpp -o destructors_a $archive
expect "C++ destructors, archive" done "" ./destructors_a
build $cxx $flags -std=c++17 $src/destructors.cpp -o destructors_so $shared
expect "C++ destructors, shared" done "" ./destructors_so

# operator new and delete: all forms ours; a program's own win one by one, and so does its malloc.
plus="$cxx $flags -std=c++17 $src/operators.cpp"
build $plus -o operators
build $plus -DOWN_NEW -o operators_own
build $plus -DOWN_MALLOC -o operators_malloc
expect "operator new, libstdc++'s" done "" ./operators other
expect "operator new, preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so ./operators ours
expect "operator new, preloaded, memory gives out" done "" env FREEHOLD_LIMIT=64M LD_PRELOAD=$lib/libfreehold.so ./operators full
expect "operator new, own, preloaded" done "" env LD_PRELOAD=$lib/libfreehold.so ./operators_own other
expect "operator new, own malloc, preloaded" done "$foreign" env LD_PRELOAD=$lib/libfreehold.so ./operators_malloc other
for how in "-pie -fPIE" "-no-pie -fno-PIE" "-static" "-static-pie -fPIE"; do
  build $plus $how -DWITH_LOCAL -o operators_a $archive
  expect "operator new, archive $how" done "" ./operators_a ours
  expect "operator new, archive $how, memory gives out" done "" env FREEHOLD_LIMIT=64M ./operators_a full
  build $plus $how -DOWN_NEW -o operators_own_a $archive
  expect "operator new, own, archive $how" done "" ./operators_own_a other
done
build $plus -DOWN_MALLOC -o operators_malloc_a $archive
expect "operator new, own malloc, archive" done "$foreign" ./operators_malloc_a other
nm operators_malloc_a | grep -q ' reallocarray$' && { echo "FAILED: a part of the override was linked beside the program's malloc"; failed=$((failed + 1)); }
for other in $preload_je $preload_mi; do
  [ ! -e $other ] || expect "operator new, $other in front" done "$foreign" env LD_PRELOAD=$other:$lib/libfreehold.so ./operators front
done
build $cc -O1 -fno-builtin -D_GNU_SOURCE -fPIC -shared $src/header_malloc.c -o libheader.so -ldl
build $plus -DNO_ALIGNED -o operators_plain
expect "operator new, a malloc in front that uses ours" done "$foreign" env LD_PRELOAD=./libheader.so:$lib/libfreehold.so ./operators_plain front
readelf -d $lib/libfreehold.so | grep NEEDED | grep -v 'libc\.so\.6' && { echo "FAILED: libfreehold.so needs more than libc"; failed=$((failed + 1)); }

build $cc $flags -fPIC -shared $src/one_heap_library.c -o libone.so $shared
build $cc $flags $src/one_heap.c -o one_a -L. -Wl,-rpath,. -lone -Wl,--export-dynamic-symbol='fh_*' $archive
expect "one heap, the executable's" done "" ./one_a
build $cc $flags $src/one_heap.c -o one_so -L. -Wl,-rpath,. -lone $shared
expect "one heap, the library's" done "" ./one_so

# An executable with its own runtime that does not export it: two copies, and the library's hands out the executable's blocks.
build $cc $flags -DTWO_HEAPS $src/one_heap.c -o two_heaps $archive
expect "two copies" done "$foreign" ./two_heaps

# Static TLS of the library: exactly one pointer.
readelf -lW $lib/libfreehold.so | awk '$1 == "TLS" { found = $6 } END { exit found !~ /^0x0*8$/ }' ||
  { echo "FAILED: libfreehold.so's static TLS is not one pointer"; failed=$((failed + 1)); }
# Exported names: fh_* and the override, nothing else.
nm -D --defined-only $lib/libfreehold.so | awk '{print $3}' | sed 's/@.*//' | grep -Ev '^(fh_|_Z(nw|na|dl|da)[A-Za-z0-9_]*$|(m|c|re|v|pv)alloc$|reallocarray$|free$|free_(aligned_)?sized$|aligned_alloc$|posix_memalign$|memalign$|malloc_(usable_size|trim|stats|info)$|mall(opt|info|info2)$)' &&
  { echo "FAILED: unexpected exported names"; failed=$((failed + 1)); }
# fh_* alone does not pull the override in.
printf 'void *fh_tls_malloc(unsigned long); int main(void) { return !fh_tls_malloc(8); }' >bare.c
build $cc $lld bare.c -o bare $lib/libfreehold.a -lpthread
nm bare | grep -q ' T malloc' && { echo "FAILED: the override was linked without being asked for"; failed=$((failed + 1)); }
expect "the override stays out" "" "$foreign" ./bare
echo "$ran cases, $failed failed"
[ $failed = 0 ]
