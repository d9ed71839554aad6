#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build.sh - PHP from Debian's source, non-thread-safe, thread-safe as shipped and thread-safe with Freehold's TSRM, side by side.
# Each build is a CLI (with opcache and its JIT), an Apache module and an embed library, all with the same flags. Every step
# leaves a stamp and a log: run it again and it goes on where it stopped. README.md tells what is put in place of what, and how.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

usage() {
  cat <<'TEXT'
usage: build.sh [options] WORKDIR [BUILD...]
  BUILD             nts, zts (as shipped), zts-freehold-MODE with MODE one of static cached gs pointer
                    (default: nts zts zts-freehold-static zts-freehold-cached zts-freehold-gs)
  --php 8.2|8.4     Debian 12's or Debian 13's (default: what WORKDIR holds, else 8.2); one WORKDIR, one version
  --parts LIST      of cli,apache,embed (default: all)
  --freehold DIR    a build folder of Freehold (default: build/ of this repository)
  --with-tsrm-__thread-tls, --with-tsrm-full__thread-tls, --with-tsrm-native-tls
                    the RFC's names of zts-freehold-pointer, -static and -cached
  --jobs N          compilers at a time (default: the processors of this machine); MAKE=COMMAND is heeded
  --help
  Leaves WORKDIR/BUILD/bin/php, WORKDIR/BUILD/lib/libphp.so (embed), WORKDIR/BUILD/lib/apache/libphp.so, WORKDIR/scripts/*.php.
  Exit: 0 done, 2 usage, 3 something needed is missing, 4 a step failed (the message names its log)
TEXT
}

say() { echo "build.sh: $*"; }
fail() { echo "build.sh: $1" >&2; exit "${2:-4}"; }

php='' parts=cli,apache,embed freehold=$root/build jobs=$(nproc) work='' builds=()
while [ $# -gt 0 ]; do
  case $1 in
    --php | --parts | --freehold | --jobs)
      [ $# -gt 1 ] || fail "$1 needs a value (try --help)" 2
      case $1 in --php) php=$2 ;; --parts) parts=$2 ;; --freehold) freehold=$2 ;; --jobs) jobs=$2 ;; esac
      shift ;;
    --with-tsrm-__thread-tls) builds+=(zts-freehold-pointer) ;;
    --with-tsrm-full__thread-tls) builds+=(zts-freehold-static) ;;
    --with-tsrm-native-tls) builds+=(zts-freehold-cached) ;;
    --help | -h) usage; exit 0 ;;
    -*) fail "unknown option: $1 (try --help)" 2 ;;
    *) if [ -z "$work" ]; then work=$1; else builds+=("$1"); fi ;;
  esac
  shift
done
[ -n "$work" ] || { usage >&2; exit 2; }
case $php in '' | 8.2 | 8.4) ;; *) fail "no PHP $php here: 8.2 (Debian 12) or 8.4 (Debian 13)" 2 ;; esac
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs takes a number, not $jobs" 2
for part in ${parts//,/ }; do
  case $part in cli | apache | embed) ;; *) fail "no part $part: of cli,apache,embed" 2 ;; esac
done
[ ${#builds[@]} != 0 ] || builds=(nts zts zts-freehold-static zts-freehold-cached zts-freehold-gs)
for build in "${builds[@]}"; do
  case $build in
    nts | zts | zts-freehold-static | zts-freehold-cached | zts-freehold-gs | zts-freehold-pointer) ;;
    *) fail "no build $build: nts, zts or zts-freehold-MODE (try --help)" 2 ;;
  esac
done
# A build folder has its libraries in lib/ and its headers in the source; an installed Freehold has both under its prefix.
freehold_lib=$freehold/lib freehold_include=$freehold/include
[ -e "$freehold_include/freehold/tsrm.h" ] || freehold_include=$root/include
work=$(mkdir -p "$work" && cd "$work" && pwd) || fail "cannot make $work" 3
case $work in *[[:space:]]*) fail "PHP's build system does not bear a space in a folder's name: $work" 2 ;; esac
have=$(sed -n 's/^package=php//p' "$work/source.txt" 2>/dev/null)
php=${php:-${have:-8.2}}
[ -z "$have" ] || [ "$have" = "$php" ] || fail "$work holds PHP $have; take another folder for $php" 2
mkdir -p "$work/stamps" "$work/logs" "$work/obj" "$work/scripts"

# step NAME TITLE COMMAND...: once for each $stamp (what the step's result depends on); a line each 30 s, output in a log.
child=
trap '[ -z "$child" ] || kill -- -"$child" 2>/dev/null; exit 130' INT TERM
set -m # a step is a process group, so that an interrupt reaches all of it
step() {
  local name=$1 title=$2 log=$work/logs/$1.log start=$SECONDS shown=0 code
  shift 2
  if [ -e "$work/stamps/$name" ] && [ "$(cat "$work/stamps/$name")" = "${stamp:-}" ]; then say "$title: done before"; return; fi
  say "$title (log: $log)"
  "$@" > "$log" 2>&1 < /dev/null & child=$!
  while kill -0 "$child" 2>/dev/null; do
    sleep 1
    if [ $((SECONDS - start - shown)) -ge 30 ]; then
      shown=$((SECONDS - start))
      say "$title: $shown s, $(grep -c -e '--mode=compile' "$log") files compiled"
    fi
  done
  wait "$child"; code=$?; child=
  if [ $code != 0 ]; then
    tail -n 8 "$log" | sed 's/^/  | /' >&2
    fail "$title failed; all of it is in $log" $((code == 3 ? 3 : 4)) # what cannot be had stays apart from what went wrong
  fi
  printf '%s' "${stamp:-}" > "$work/stamps/$name"
  say "$title: done in $((SECONDS - start)) s"
}

packages() { # what is missing is installed from Debian's packages, if we may
  local need=(debian-archive-keyring dpkg-dev gcc make pkgconf) missing=() p
  case $parts in *apache*) need+=(apache2-dev apache2-bin) ;; esac
  for p in "${need[@]}"; do
    # Debian 12 has pkg-config, which pkgconf replaced; either will do.
    [ "$p" = pkgconf ] && command -v pkg-config >/dev/null && continue
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
  done
  [ ${#missing[@]} != 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "needed and not installed: ${missing[*]} (as root: apt-get install ${missing[*]})" 3
  say "installing ${missing[*]}"
  apt-get -q -o DPkg::Lock::Timeout=600 update > "$work/logs/update.log" 2>&1 || say "apt-get update failed; trying with the lists at hand"
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "${missing[@]}" \
    > "$work/logs/packages.log" 2>&1 || fail "${missing[*]} could not be installed; see $work/logs/packages.log" 3
}

# What all builds are configured with: nothing that another library could slow down, and the extensions that PHP's own tests want,
# shared, so that they are modules as a distribution's are.
common=(--disable-all --disable-cgi --disable-phpdbg --enable-opcache --enable-zend-test=shared --enable-ctype=shared
  --enable-tokenizer=shared --without-valgrind)

# Two parts may share a folder of objects; each has a Makefile of its own there.
configure() { # configure PART SOURCE OBJ PREFIX OPTION...
  local part=$1 source=$2 obj=$3 prefix=$4
  shift 4
  rm -f "$work/stamps/$id-layout" # what it adds to the Makefile has to be added again
  mkdir -p "$obj" && cd "$obj" && rm -rf before && mkdir before &&
    find . -path ./before -prune -o -name '*.h' -exec cp -p --parents {} before \; &&
    CFLAGS=-O2 CXXFLAGS=-O2 "$source/configure" --prefix="$prefix" "${common[@]}" "$@" && cp Makefile "Makefile.$part" &&
    still_valid "$source"
}

# In a folder of objects that is configured again make would compile all again: headers are written anew, and two of their
# settings differ between SAPIs. The objects are kept but for those of files that name a changed setting, or include such a file.
still_valid() { # still_valid SOURCE
  local header names files
  while read -r header; do
    if ! cmp -s "before/$header" "$header"; then
      names=$(diff "before/$header" "$header" | sed -nE 's/^[<>].*#(define|undef) (\w+).*/\2/p' | sort -u | paste -sd '|')
      files=$(cd "$1" && grep -rlwE "$names" --include='*.[ch]' Zend main ext sapi TSRM)
      grep -rlFf <(echo "${files:-none}") --include='*.dep' . | sed 's/\.dep$/.lo/' | xargs -r rm -f
    fi
    touch -r "before/$header" "$header"
  done < <(cd before && find . -name '*.h')
  rm -rf before
}

make_in() { local part=$1 obj=$2; shift 2; cd "$obj" && ${MAKE:-make} -f "Makefile.$part" -j"$jobs" "$@"; }

# The program is linked anew even if no object is: make does not know of our library.
program() { rm -f "$1/sapi/cli/php"; make_in cli "$1" && keeps_base cli "$1"; }

library() { # library PART OBJ TARGET: the one libphp.so that make leaves in OBJ, put where it is asked for
  local found
  rm -f "$2/libphp.la" "$2"/libs/libphp.* "$2"/.libs/libphp.* # the other part's, linked from the same objects
  make_in "$1" "$2" libphp.la && keeps_base "$1" "$2" || return
  found=$(find "$2" -maxdepth 2 -name libphp.so | head -n 1)
  [ -n "$found" ] || { echo "make left no libphp.so in $2"; return 1; }
  mkdir -p "$(dirname "$3")" && cp -L "$found" "$3"
}

# put SOURCE TARGET: a copy that keeps the target's time where nothing changed, so that make rebuilds only what it must. PHP's
# files are hard links to the unpacked source: a file is replaced, never written to.
put() { cmp -s "$1" "$2" || { mkdir -p "$(dirname "$2")" && rm -f "$2" && cp "$1" "$2"; }; }

edit() { # edit TREE FILE NUMBER EXPRESSION: a file of PHP's by sed -E; so many lines, or more, have to change
  local found
  sed -E "$4" "$work/source/php/$2" > "$1.edited"
  found=$(diff "$work/source/php/$2" "$1.edited" | grep -c '^>')
  [ "$found" -ge "$3" ] || { echo "$2 has changed: of $3 lines to be edited $found are there"; return 1; }
  put "$1.edited" "$1/$2"
}

tree() { # tree MODE TREE: PHP's source, with our TSRM where theirs was
  local mode=$1 tree=$2 file words
  if [ ! -d "$tree" ]; then
    rm -rf "$tree.part" && mkdir -p "$work/trees" && cp -al "$work/source/php" "$tree.part" && mv "$tree.part" "$tree" || return
  fi
  put "$here/TSRM.h" "$tree/TSRM/TSRM.h" && put "$here/TSRM.c" "$tree/TSRM/TSRM.c" || return
  printf '#define FREEHOLD_GLOBALS_%s 1\n' "${mode^^}" > "$tree.mode"
  put "$tree.mode" "$tree/TSRM/tsrm_mode.h" || return
  while read -r file; do
    put "$freehold_include/freehold/$file" "$tree/TSRM/freehold/$file" || return
  done < <(cd "$freehold_include/freehold" && find . -name '*.h' -printf '%P\n')
  # gcc makes three instructions of __atomic_load from a thread-local variable; ours is one, and as strong.
  edit "$tree" Zend/zend_atomic.h 1 's/__atomic_load\(&obj->value, &prev, __ATOMIC_SEQ_CST\);/prev = FH_GLOBALS_ATOMIC_LOAD(\&obj->value);/' || return
  # Mode gs needs one instruction, and no register, for what is read and assigned whole and never by its address: said for what
  # the allocator and the scanner touch most.
  [ "$mode" = gs ] || return 0
  words='YYCURSOR|YYLIMIT|YYMARKER|yytext|yyleng'
  whole "$words" Zend/zend_language_scanner.c && whole 'AG\(mm_heap\)([^-]|$)' Zend/zend_alloc.c || return
  edit "$tree" Zend/zend_language_scanner.c 5 \
    "s/^(#define +($words) .*)SCNG\((\w+)\)/\1FH_G_VALUE(tsrm, language_scanner_globals_offset, zend_php_scanner_globals, \3)/" &&
    edit "$tree" Zend/zend_alloc.c 1 's/ZEND_TSRMG_FAST\((alloc_globals_offset), (zend_alloc_globals) \*, v\)/FH_G_VALUE(tsrm, \1, \2, v)/'
}

whole() { # whole WORDS FILE: nowhere in that file of PHP's is the address of one of them taken
  ! grep -nE "(^|[^&])&[ (]*($1)" "$work/source/php/$2" || { echo "$2 takes the address of what mode gs has in %gs: the lines above"; return 1; }
}

# What gives the calling thread its globals, takes them away or asks whether it has any.
registering='ts_resource|ts_resource_ex|ts_free_thread|tsrm_startup|tsrm_shutdown|tsrm_get_ls_cache|tsrm_is_managed_thread'

configured() { # configured PART OBJ MODE TREE: what follows from how PHP was configured
  local base='EXTRA_CFLAGS += -DFREEHOLD_GLOBALS_KEEPS_BASE=1' makefile=$2/Makefile.$1 file
  "$here/layout" "$work/source/php" "$2" "$4.layout" && put "$4.layout" "$4/TSRM/tsrm_layout.h" || return
  [ "$3" = gs ] && ! grep -qF "$base" "$makefile" || return 0
  # Threads get their globals in a SAPI's functions, before they call PHP. All other files may keep the block's address in a
  # register over calls, but for those whose functions deal with it themselves (the macro asks for a resource by its id).
  {
    printf '\nZend/%%.lo main/%%.lo ext/%%.lo: %s\n' "$base"
    for file in $(cd "$4" && grep -rlwE "$registering|ZEND_INI_GET_ADDR" --include='*.c' Zend main ext); do
      printf '%s.lo: EXTRA_CFLAGS += -UFREEHOLD_GLOBALS_KEEPS_BASE\n' "${file%.c}"
    done
  } >> "$makefile"
}

keeps_base() { # keeps_base PART OBJ: no object that was compiled to keep the base refers to what could change it
  local makefile=$2/Makefile.$1 found
  grep -qF KEEPS_BASE "$makefile" || return 0
  found=$(cd "$2" && find Zend main ext -name '*.o' -exec nm -A {} + |
    grep -E " U ($registering|fh_globals_[a-z_]+|php_tsrm_startup|php_tsrm_startup_ex|php_module_startup)\$" | sed 's|\.libs/||' |
    grep -vFf <(sed -n 's/^\(.*\)\.lo: .*-UFREEHOLD_GLOBALS_KEEPS_BASE$/\1.o:/p' "$makefile"))
  [ -z "$found" ] || { printf 'compiled to keep the base of mode gs over calls that may change it:\n%s\n' "$found"; return 1; }
}

headers() { # headers PART OBJ NAME SOURCE: PHP's, and Freehold's, which make does not know of
  make_in "$1" "$2" install-headers || return
  [ ! -d "$4/TSRM/freehold" ] || cp -R "$4/TSRM/freehold" "$work/$3/include/php/TSRM/"
}

build() { # build NAME: all asked-for parts of it
  local name=$1 source=$work/source/php zts=(--enable-zts) mode='' archive='' stamp=''
  case $name in
    nts) zts=() ;;
    zts-freehold-*)
      mode=${name#zts-freehold-} source=$work/trees/$name
      archive=$freehold_lib/libfreehold-tsrm-$mode.a
      [ -e "$archive" ] || fail "$archive is missing: build Freehold (scripts/build), or say where it is with --freehold" 3
      stamp="$(find "$freehold_include/freehold" "$here"/TSRM.[ch] "$here/layout" "$archive" -type f -exec sha256sum {} + | sort)"
      stamp=$(sha256sum <<< "$stamp")
      step "$name-tree" "$name: source with our TSRM" tree "$mode" "$source" ;;
  esac
  case ",$parts," in *,cli,*) build_part cli cli ${mode:+CPPFLAGS=-DFREEHOLD_TSRM_EXECUTABLE=1} ;; esac
  # Both libraries are linked from the same objects: only the SAPI's own file differs.
  case ",$parts," in *,apache,*) build_part apache lib --disable-cli --with-apxs2 ;; esac
  case ",$parts," in *,embed,*) build_part embed lib --disable-cli --enable-embed=shared ;; esac
}

# Of the archive a library gets what it refers to; the statistics are for the host that PHP runs in.
build_part() { # build_part PART OBJECTS OPTION...: with build's variables
  local part=$1 obj=$work/obj/$name-$2 prefix=$work/$name id=$name-$1 title="$name, $1"
  shift 2
  stamp=${mode:+$archive} step "$id-configure" "$title: configure" \
    configure "$part" "$source" "$obj" "$prefix" "${zts[@]}" ${mode:+LIBS="-Wl,-u,fh_globals_stats $archive"} "$@"
  [ -z "$mode" ] || step "$id-layout" "$title: layout" configured "$part" "$obj" "$mode" "$source"
  case $part in
    cli)
      step "$id-make" "$title: make" program "$obj"
      step "$id-install" "$title: make install" make_in cli "$obj" install ;;
    apache) step "$id-make" "$title: make" library apache "$obj" "$prefix/lib/apache/libphp.so" ;;
    embed) step "$id-make" "$title: make" library embed "$obj" "$prefix/lib/libphp.so" ;;
  esac
  [ "$part" = apache ] || step "$id-headers" "$title: headers" headers "$part" "$obj" "$name" "$source"
}

packages
stamp='' step source "PHP $php from Debian's archive" "$here/fetch.sh" "$php" "$work"
sed -n -e "s/^version=/build.sh: the source is Debian's /p" -e 's/^indexed_but_gone=\(.\)/build.sh: indexed, but not served: \1/p' \
  "$work/source.txt"
cp "$work/source/php/Zend/bench.php" "$work/source/php/Zend/micro_bench.php" "$here"/scripts/*.php "$work/scripts/" ||
  fail "the benchmark scripts are not where they were"
for name in "${builds[@]}"; do build "$name"; done
say "done: ${builds[*]} in $work"
