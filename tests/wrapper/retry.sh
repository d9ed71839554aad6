#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# retry.sh - nothing of ours breaks a build: without plugin, runtime, temporary folder or lld it is plain clang.
. "$(dirname "$0")/common.sh"

mkdir -p prefix/bin prefix/lib prefix/libexec/freehold prefix/share/freehold/models
cp "$FCC" prefix/bin/freehold-cc; ln -s ../../bin/freehold-cc prefix/libexec/freehold/ld.lld
other=$PWD/prefix/bin/freehold-cc
expect 0 "$other" main.c helper.c -o prog; says "missing"; [ "$(wc -l <err)" -eq 1 ] || fail "one line"; ./prog >out || fail "without plugin"
cp "$BIN/../lib/FreeholdPlugin.so" prefix/lib/
expect 0 "$other" -c main.c; [ ! -s err ] || fail "compile needs the plugin only"
expect 0 "$other" main.o helper.c -o prog; says "libfreehold"; ./prog >out || fail "without runtime"
expect 0 env TMPDIR=/no/such/folder "$FCC" -c helper.c; says "temporary"
[ -s helper.o ] || fail "without temporary folder"
# a runtime that cannot be linked: the second link, without Freehold, is the answer
echo 'not an archive' >prefix/lib/libfreehold.a; echo >prefix/lib/libfreehold.so
expect 0 "$other" main.o helper.o -o prog; says "linked without Freehold"; ./prog >out || fail "second link"
# bfd knows it, lld does not
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
expect 0 "$FCC" main.o helper.o -Wl,--spare-dynamic-tags=3 -o prog; ./prog >out || fail "bfd's own option"
ls -d "${TMPDIR:-/tmp}"/freehold-cc-* 2>/dev/null | while read -r d; do [ "$(find "$d" -maxdepth 0 -mmin +10)" ] || continue; echo "left behind: $d"; done
exit 0
