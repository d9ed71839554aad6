#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts.sh SOURCE: the scripts around the host and Apache say what they want and what is missing, with their documented exit
# codes, before they do anything; and the host compiles without PHP, for its load generator.
host=$1/examples/host apache=$1/integrations/apache
. "$(dirname "$0")/../check_command.sh"

check 2 '^usage: compile PREFIX OUTPUT' "$host/compile"
check 3 'has no lib/libphp.so with include/php' "$host/compile" "$work" "$work/out.d"
check 3 'no compiler no-such-compiler' env CC=no-such-compiler "$host/compile" - "$work/out.d"
check 0 '^done$' sh -c '"$0" - "$1" && echo done' "$host/compile" "$work/out.d"
check 0 '^usage: host serve' "$work/out.d/host" --help

check 0 '^usage: musl.sh' "$host/musl.sh" --help
check 2 '^usage: musl.sh' "$host/musl.sh"
check 2 'unknown option: --nonsense' "$host/musl.sh" --nonsense "$work"
check 2 '--json needs a value' "$host/musl.sh" "$work" --json
check 2 'no build zts-freehold-static with musl' "$host/musl.sh" "$work" zts-freehold-static

mkdir "$work/empty"
for script in "$host/compare" "$apache/check"; do
  check 0 'WORKDIR' "$script" --help
  check 2 'WORKDIR' "$script"
  check 3 'is no folder of build.sh' "$script" "$work/empty"
done
check 2 'nothing is none of' "$host/compare" --parts nothing "$work"
check 2 'no part nothing' "$apache/check" --parts nothing "$work"
echo 'package=php8.2' >"$work/empty/source.txt"
check 3 'has no embed library: integrations/php/build.sh' "$host/compare" "$work/empty"
check 3 'has no Apache module: integrations/php/build.sh' "$apache/check" "$work/empty"
check 3 'has no Apache module of zts' "$apache/check" "$work/empty" zts
exit $failed
