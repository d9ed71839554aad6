#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# probes.sh CMAKE SOURCEDIR WORKDIR LIBDIR - freehold.m4 and FreeholdTls.cmake find what this machine has, and what to fall back
# to where it has not: with the usual compiler; with musl's, whose loader refuses initial-exec; with one for 32 bits, where %gs is
# taken; and with a compiler that knows no thread-local storage.
set -u
cmake=$1 src=$2 work=$3 lib=$4
failed=0 ran=0
rm -rf "$work" && mkdir -p "$work/cmake" "$work/bin" && cd "$work" || exit 1

# expect NAME WANTED GOT
expect() {
  ran=$((ran + 1))
  [ "$3" = "$2" ] || { echo "FAILED $1: expected '$2', got '$3'"; failed=$((failed + 1)); }
}

gs=cached
case $(uname -sm) in "Linux x86_64") gs=gs ;; esac
# A compiler without thread-local storage.
cat >bin/without-tls <<'TEXT'
#!/bin/sh
exec cc -D__thread=error -D_Thread_local=error "$@"
TEXT
chmod +x bin/without-tls
works() { echo 'int main(void) { return 0; }' >try.c && $1 try.c -o try 2>/dev/null; }

cat >cmake/CMakeLists.txt <<TEXT
cmake_minimum_required(VERSION 3.20)
project(Probe LANGUAGES C)
include($src/cmake/FreeholdTls.cmake)
freehold_check_tls()
file(WRITE \${CMAKE_BINARY_DIR}/result "\${FREEHOLD_TLS} \${FREEHOLD_TLS_INITIAL_EXEC} \${FREEHOLD_TLS_DLOPEN} \${FREEHOLD_GLOBALS_EXECUTABLE} \${FREEHOLD_GLOBALS_LIBRARY}")
TEXT
# by_cmake NAME COMPILER [FLAGS]
by_cmake() {
  "$cmake" -S cmake -B "cmake/$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_C_FLAGS="${3-}" >cmake.txt 2>&1 || { cat cmake.txt; return; }
  cat "cmake/$1/result"
}
expect "cmake" "__thread 1 ON static $gs" "$(by_cmake usual cc)"
[ $gs = gs ] && expect "cmake, what gs asks for" "-- freehold_check_tls: mode gs for libraries: each thread must register before its first access, for one that \
does not may use another thread's globals" "$(grep 'mode gs' cmake.txt)"
expect "cmake, no TLS" " OFF OFF passed $(echo $gs | sed s/cached/passed/)" "$(by_cmake none "$work/bin/without-tls")"
works musl-gcc && expect "cmake, musl" "__thread 1 OFF static $gs" "$(by_cmake musl musl-gcc)"
works musl-gcc && expect "cmake, musl's message" "-- freehold_check_tls: cannot allocate memory in static TLS block: a dlopen'ed library can have \
no initial-exec variable here; taken: $gs$([ $gs = gs ] || echo ' compiled with -DFREEHOLD_GLOBALS_DYNAMIC=1')" "$(grep 'static TLS block' cmake.txt)"
works "cc -m32" && expect "cmake, 32 bits" "__thread 1 ON static cached" "$(by_cmake short cc -m32)"

if command -v autoreconf >/dev/null && command -v aclocal >/dev/null; then
  printf '@FREEHOLD_GLOBALS_MODE@ @FREEHOLD_GLOBALS_CFLAGS@ @FREEHOLD_GLOBALS_LIBS@\n' >out.in
  for kind in executable library; do
    mkdir -p $kind && cp out.in "$src/cmake/freehold.m4" $kind
    printf '%s\n' 'AC_INIT([probe], [1])' 'AC_CONFIG_MACRO_DIRS([.])' AC_PROG_CC "FREEHOLD_GLOBALS([auto], [$kind])" \
      'AC_CONFIG_FILES([out])' AC_OUTPUT >$kind/configure.ac
    (cd $kind && autoreconf -f >autoreconf.txt 2>&1 && [ ! -s autoreconf.txt ]) || { echo "FAILED autoreconf"; cat $kind/autoreconf.txt; failed=$((failed + 1)); }
  done
  # by_configure KIND [CC=...] [--with...]: what is substituted, then the warning
  by_configure() {
    kind=$1 && shift
    (cd "$kind" && rm -f out && ./configure "$@" >configure.txt 2>&1 && cat out || tail -1 configure.txt
     sed -n 's/^configure: WARNING: globals: //p' configure.txt) | tr '\n' ' ' | sed 's/ $//'
  }
  dso="-DFREEHOLD_GLOBALS_DSO=1 -fPIC" refused="cannot allocate memory in static TLS block: a dlopen'ed library can have no initial-exec variable here"
  expect "executable" "static -DFREEHOLD_GLOBALS_STATIC=1 -l:libfreehold-tsrm-static.a -pthread -rdynamic" "$(by_configure executable)"
  expect "chosen" "pointer -DFREEHOLD_GLOBALS_POINTER=1 -l:libfreehold-tsrm-pointer.a -pthread -rdynamic" "$(by_configure executable --with-freehold-globals=pointer)"
  expect "unknown" "configure: error: --with-freehold-globals=x: the modes are static, gs, cached, pointer, passed, classic, auto" \
    "$(by_configure executable --with-freehold-globals=x)"
  expect "no TLS" "passed -DFREEHOLD_GLOBALS_PASSED=1 -l:libfreehold-tsrm-passed.a -pthread -rdynamic there is no thread-local storage; taken: passed" \
    "$(by_configure executable CC="$work/bin/without-tls")"
  # What it says is enough for an executable whose modules come by dlopen, and for a library.
  for mode in static gs cached pointer passed classic; do
    set -- $(by_configure executable --with-freehold-globals=$mode)
    [ "$1" = $mode ] || continue # not here
    shift
    cc -O2 -D_GNU_SOURCE -I"$src/include" "$src/tests/globals/rfc.c" -L"$lib" -Wl,-rpath,"$lib" "$@" -ldl -o rfc &&
      cc -O2 -D_GNU_SOURCE -I"$src/include" "$1" -fPIC -shared "$src/tests/globals/rfc_module.c" -o rfc_module.so && ./rfc ./rfc_module.so
    expect "built as configured, $mode" 0 $?
  done
  [ $gs = gs ] && expect "library" "gs -DFREEHOLD_GLOBALS_GS=1 $dso -lfreehold-tsrm-gs -pthread" "$(by_configure library)" &&
    expect "library, what gs asks for" "configure: globals: mode gs: each thread must register before its first access, for one that does not may use another \
thread's" "$(grep 'mode gs' library/configure.txt)"
  if works musl-gcc && [ $gs = gs ]; then
    expect "musl, static" "gs -DFREEHOLD_GLOBALS_GS=1 $dso -lfreehold-tsrm-gs -pthread $refused; taken: gs $dso" \
      "$(by_configure library CC=musl-gcc --with-freehold-globals=static)"
    dynamic="$dso -DFREEHOLD_GLOBALS_DYNAMIC=1"
    expect "musl, cached" "cached -DFREEHOLD_GLOBALS_CACHED=1 $dynamic -lfreehold-tsrm-cached -pthread $refused; taken: cached $dynamic" \
      "$(by_configure library CC=musl-gcc --with-freehold-globals=cached)"
  fi
  works "cc -m32" && expect "32 bits" "cached -DFREEHOLD_GLOBALS_CACHED=1 $dso -lfreehold-tsrm-cached -pthread %gs is not free here; taken: cached $dso" \
    "$(by_configure library CC="cc -m32")"
else
  echo "no autoconf and automake: freehold.m4 was not tested"
fi
echo "$ran cases, $failed failed"
[ $failed = 0 ]
