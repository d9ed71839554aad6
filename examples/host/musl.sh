#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# musl.sh - PHP's embed library and the host with musl: builds them in WORKDIR by integrations/php/build.sh with musl-gcc, and
# compares.
# musl's loader refuses initial-exec thread-local variables in what is opened by dlopen, so there PHP's own thread-safe globals go
# through __tls_get_addr, and cost most. What is needed besides build.sh's packages: musl-tools, linux-libc-dev, valgrind.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

usage() {
  cat <<'TEXT'
usage: musl.sh [options] WORKDIR [BUILD...]
  BUILD          nts, zts (as shipped), zts-freehold-MODE with MODE one of gs cached pointer (default: nts zts zts-freehold-gs)
  --php 8.2|8.4  as of integrations/php/build.sh
  --jobs N       compilers at a time
  --build-only   do not compare
  --scripts      compare with integrations/php's scripts too (bench.php and others, in libphp.so opened by dlopen)
  --json FILE    what compare found
  --help
  WORKDIR is for musl alone. Leaves WORKDIR/BUILD/lib/libphp.so and headers, WORKDIR/musl/cc (the compiler), WORKDIR/freehold/lib.
  Exit: 0 done, 1 a figure or an answer is not as it should be, 2 usage, 3 something needed is missing, 4 a step failed
TEXT
}
say() { echo "musl.sh: $*"; }
fail() { echo "musl.sh: $1" >&2; exit "${2:-4}"; }

work='' builds=() more=() compare=1 scripts=0 json=()
while [ $# -gt 0 ]; do
  case $1 in
    --php | --jobs | --json)
      [ $# -gt 1 ] || fail "$1 needs a value (try --help)" 2
      if [ "$1" = --json ]; then json=(--json "$2"); else more+=("$1" "$2"); fi
      shift ;;
    --build-only) compare=0 ;;
    --scripts) scripts=1 ;;
    --help | -h) usage; exit 0 ;;
    -*) fail "unknown option: $1 (try --help)" 2 ;;
    *) if [ -z "$work" ]; then work=$1; else builds+=("$1"); fi ;;
  esac
  shift
done
[ -n "$work" ] || { usage >&2; exit 2; }
[ ${#builds[@]} != 0 ] || builds=(nts zts zts-freehold-gs)
modes=()
for build in "${builds[@]}"; do
  case $build in
    nts | zts) ;;
    zts-freehold-gs | zts-freehold-cached | zts-freehold-pointer) modes+=("${build#zts-freehold-}") ;;
    *) fail "no build $build with musl: nts, zts, zts-freehold-gs, -cached, -pointer (mode static cannot be opened by dlopen there)" 2 ;;
  esac
done

need=()
command -v musl-gcc >/dev/null || need+=(musl-tools)
[ -e /usr/include/linux/version.h ] || need+=(linux-libc-dev)
[ $compare = 0 ] || command -v valgrind >/dev/null || need+=(valgrind)
if [ ${#need[@]} != 0 ]; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "needed and not installed: ${need[*]} (as root: apt-get install ${need[*]})" 3
  say "installing ${need[*]}"
  apt-get -q -o DPkg::Lock::Timeout=600 update > /dev/null 2>&1 || say "apt-get update failed; trying with the lists at hand"
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "${need[@]}" > /dev/null ||
    fail "${need[*]} could not be installed" 3
fi

work=$(mkdir -p "$work/musl/include" "$work/freehold/lib" && cd "$work" && pwd) || fail "cannot make $work" 3
# musl-gcc knows only musl's headers; PHP wants some of the kernel's, which depend on no C library.
for folder in linux asm-generic asm; do
  found=/usr/include/$folder
  [ -d "$found" ] || found=/usr/include/$(uname -m)-linux-gnu/$folder
  ln -sfn "$found" "$work/musl/include/$folder"
done
printf '#!/bin/sh\nexec musl-gcc -idirafter "%s" "$@"\n' "$work/musl/include" > "$work/musl/cc" && chmod +x "$work/musl/cc"
# PHP's configure asks `ldd --version` whether it is musl: musl's loader is that program, too.
loader=/lib/ld-musl-$(uname -m).so.1
ln -sfn "$loader" "$work/musl/ldd"
case $("$work/musl/ldd" --version 2>&1) in musl*) ;; *) fail "musl's loader is not $loader" 3 ;; esac
export CC=$work/musl/cc PATH=$work/musl:$PATH

# libfreehold-tsrm-MODE.a for musl, from the sources that Freehold's own build lists; written only if it changed, so that what is
# linked with it is not linked anew.
sources=$(tr '\n' ' ' < "$root/runtime/globals/CMakeLists.txt" | sed -n 's/.*freehold_globals_objects OBJECT \([^)]*\)).*/\1/p')
[ -n "$sources" ] || fail "runtime/globals/CMakeLists.txt does not list its sources as it did"
for mode in "${modes[@]}"; do
  archive=libfreehold-tsrm-$mode.a objects=$(mktemp -d) || fail "cannot make a folder for objects"
  say "$archive for musl"
  (cd "$objects" && for file in $sources tsrm_default.c front.c; do
    "$CC" -O2 -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -fno-semantic-interposition -DFREEHOLD_GLOBALS_DYNAMIC=1 \
      "-DFREEHOLD_GLOBALS_${mode^^}=1" -I"$root/include" -c "$root/runtime/globals/$file" || exit 1
  done && ar rcsD "$archive" ./*.o) || fail "$archive does not compile with musl-gcc"
  cmp -s "$objects/$archive" "$work/freehold/lib/$archive" || mv "$objects/$archive" "$work/freehold/lib/$archive"
  rm -rf "$objects"
done

"$root/integrations/php/build.sh" --parts embed --freehold "$work/freehold" "${more[@]}" "$work" "${builds[@]}" || exit $?
[ $compare = 1 ] || exit 0
code=0
"$here/compare" "${json[@]}" "$work" "${builds[@]}" || code=$?
[ $scripts = 0 ] || "$root/integrations/php/check" --parts library "$work" "${builds[@]}" || code=$?
exit $code
