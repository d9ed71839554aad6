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
# a plugin that cannot be loaded: not ELF, cut off, another LLVM's (a symbol that this one has not)
echo 'extern int llvm_of_another_version(void); int call(void) { return llvm_of_another_version(); }' >alien.c
expect 0 "$CLANG" -shared -fPIC -Wl,-z,now alien.c -o alien.so
cp "$BIN"/../lib/libfreehold.* prefix/lib/; cp -r "$BIN/../share" prefix/
head -c 5000 "$BIN/../lib/FreeholdPlugin.so" >cut.so; echo text >text.so
for plugin in text.so cut.so alien.so; do
  cp $plugin prefix/lib/FreeholdPlugin.so
  for what in "-c main.c -o broken.o" "main.c helper.c -o prog" "-O0 -c helper.c -o broken.o"; do
    # shellcheck disable=SC2086
    expect 0 "$other" $what; says "without Freehold: "; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "$plugin: one line: $what"; }
  done
  ./prog >out || fail "$plugin"
  sections broken.o | grep -q llvm.lto && fail "$plugin: bitcode that no link can use"
  expect_same "$CLANG" "$other" -c broken.c
  expect 0 "$other" main.o helper.o -o prog; says "without Freehold"; ./prog >out || fail "$plugin: link"
done
cp "$BIN/../lib/FreeholdPlugin.so" prefix/lib/
# one that crashes clang, which then ends with 1 as for a source error
echo 'void *llvmGetPassPluginInfo(void) { return *(void *volatile *)8; }' >crash.c
expect 0 "$CLANG" -shared -fPIC crash.c -o prefix/lib/FreeholdPlugin.so
expect 0 "$other" -c main.c -o plain.o; [ "$(wc -l <err)" -eq 1 ] || { cat err; fail "a crash: one line"; }
cp "$BIN/../lib/FreeholdPlugin.so" prefix/lib/
# a source error is told once and costs one compile
expect 1 "$FCC" -v -c broken.c; [ "$(grep -c '" -cc1 ' err)" = 1 ] || { cat err; fail "not one compile"; }
# a runtime that cannot be linked: the second link, without Freehold, is the answer
echo 'not an archive' >prefix/lib/libfreehold.a; echo >prefix/lib/libfreehold.so
expect 0 "$other" main.o helper.o -o prog; says "linked without Freehold"; ./prog >out || fail "second link"
# bfd knows it, lld does not
silent "$FCC" -c main.c; silent "$FCC" -c helper.c
expect 0 "$FCC" main.o helper.o -Wl,--spare-dynamic-tags=3 -o prog; ./prog >out || fail "bfd's own option"
ls -d "${TMPDIR:-/tmp}"/freehold-cc-* 2>/dev/null | while read -r d; do [ "$(find "$d" -maxdepth 0 -mmin +10)" ] || continue; echo "left behind: $d"; done
exit 0
