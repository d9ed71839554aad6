#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# runtime.sh - which runtime a link gets: the archive and its exports in executables, the library and an rpath in libraries.
. "$(dirname "$0")/common.sh"

silent "$FCC" -fPIC -O2 -c main.c; silent "$FCC" -fPIC -O2 -c helper.c
silent "$FCC" main.o helper.o -o prog; ./prog >out || fail "dynamic"
"$LLVM/llvm-nm" -D prog | grep -q 'fh_tls_malloc$' || fail "fh_* is not exported"
# One heap a process: a library's reference to any of the runtime's names must find the executable's.
"$LLVM/llvm-nm" -D --defined-only prog | awk '{ print $NF }' | sort >has
"$LLVM/llvm-nm" -D --defined-only "$BIN/../lib/libfreehold.so" | awk '$NF ~ /^fh_/ { print $NF }' | sort | comm -23 - has >lacks
[ -s lacks ] && fail "libfreehold.so has what the executable does not export: $(cat lacks)"
"$LLVM/llvm-readelf" -d prog | grep -q 'libfreehold' && fail "an executable needs libfreehold.so"
"$LLVM/llvm-nm" prog | grep -q '[TW] malloc$' || fail "the override is not in the executable"
silent "$FCC" -static main.o helper.o -o prog; ./prog >out || fail "-static"
silent "$FCC" -static-pie main.o helper.o -o prog; ./prog >out || fail "-static-pie"
silent "$FCC" -no-pie main.o helper.o -o prog; ./prog >out || fail "-no-pie"
silent "$FCC" -shared helper.o -o libh.so
"$LLVM/llvm-readelf" -d libh.so | grep -q 'RUNPATH.*/lib' || fail "no rpath"
silent "$FCC" --freehold-no-rpath -shared helper.o -o libh.so
"$LLVM/llvm-readelf" -d libh.so | grep -q 'RUNPATH' && fail "rpath in spite of --freehold-no-rpath"
silent "$FCC" main.o -L. -lh -Wl,-rpath,"$PWD" -o prog; ./prog >out || fail "with a library"
# A rewritten C++ library in a C program: operator new of the library takes blocks of the executable's local heap.
cat >newer.cpp <<'C'
struct block { long words[4]; };
static block *kept[100];
static long local_new(int n) { volatile block *p = new block[n]; p->words[0] = n; long got = p->words[0]; delete[] p; return got; }
extern "C" int helper(int x) {
  delete kept[x % 100];
  kept[x % 100] = new block{{x}};
  return (int)(kept[x % 100]->words[0] * 2 + local_new(x + 1)) - 1;
}
C
silent "$FCXX" -O1 -g -shared -fPIC newer.cpp -o libnewer.so --freehold-report=newer.json
grep -q '"rewritten": 1' newer.json || { cat newer.json; fail "the library's operator new is not rewritten"; }
silent "$FCC" main.o -L. -lnewer -Wl,-rpath,"$PWD" -o prog
expect 0 ./prog; [ ! -s err ] || { cat err; fail "a C program with a rewritten C++ library is not silent"; }
LD_DEBUG=bindings ./prog 2>&1 | grep 'fh_tls_new' | grep -q 'to ./prog ' || fail "the library's operator new is not on the executable's heap"
[ "$(cat out)" = 135 ] || fail "a C program with a rewritten C++ library printed $(cat out)"
# The same library where nobody chose Freehold, linked and opened late: silent, but for who asks.
cat >opens.c <<'C'
#include <dlfcn.h>
int main(void) {
  void *l = dlopen("./libnewer.so", RTLD_NOW);
  int (*helper)(int) = l ? (int (*)(int))dlsym(l, "helper") : 0;
  return !helper || helper(3) <= 0;
}
C
others=$CLANG
command -v gcc >/dev/null && others="$others gcc"
for other in $others; do
  expect 0 "$other" main.c -L. -lnewer -Wl,-rpath,"$PWD" -o theirs
  expect 0 ./theirs; [ ! -s err ] || { cat err; fail "a library speaks in a program of $other"; }
  expect 0 env FREEHOLD_STATS=1 ./theirs; says "another malloc stands in front"
  expect 0 "$other" opens.c -o opens -ldl
  silent ./opens
  # Preloaded or needed by the program itself it was chosen: here it is too late, and says so once.
  expect 0 "$other" opens.c -o chose -ldl -lc -Wl,--no-as-needed -L"$BIN/../lib" -Wl,-rpath,"$BIN/../lib" -lfreehold
  expect 0 ./chose; [ "$(grep -c 'another malloc stands in front' err)" -eq 1 ] || { cat err; fail "a program that chose it is not told"; }
done
# a malloc of the user's wins, in an object and in an archive
cat >own.c <<'C'
#include <stddef.h>
static char pool[1 << 20]; static size_t used;
int mine __attribute__((used));
void *malloc(size_t n) { mine = 1; void *p = pool + used; used += (n + 15) / 16 * 16; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
C
printf '#!/bin/sh\n./prog >/dev/null\n' >prog_silently; chmod +x prog_silently
silent "$FCC" -c own.c; ar rcs libown.a own.o
expect 0 "$CLANG" -shared -fPIC own.c -o libowned.so
for own in own.o libown.a "./libowned.so -Wl,-rpath,$PWD"; do
  for check in "" --freehold-check; do
    # shellcheck disable=SC2086
    expect 0 "$FCC" $check main.o helper.o $own -o prog; [ -n "$check" ] || [ ! -s err ] || { cat err; fail "not silent: $own"; }
    silent ./prog_silently
    [ "$own" != "${own#.}" ] || "$LLVM/llvm-nm" prog | grep -q ' mine$' || fail "the user's malloc was not taken: $own"
    "$LLVM/llvm-nm" prog | grep -q ' fh_' && fail "a runtime for nothing: $own"
  done
done
silent "$FCC" -Wl,--exclude-libs,ALL main.o helper.o -o prog; ./prog >out || fail "--exclude-libs"
"$LLVM/llvm-nm" -D prog | grep -q ' [TW] malloc$' || fail "--exclude-libs hides malloc"
exit 0
