#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# inherit.sh COMPILER ROOT GENERATED WORKDIR - inherit.c with another C library, from the sources: as an archive, in an executable
# that is linked with the library, in a static one, and the engine dlopen'ed.
compiler=$1 root=$2 generated=$3 work=$4 failed=0
src=$root/tests/globals runtime=$root/runtime/globals
mkdir -p "$work" && cd "$work" || exit 1
echo 'int main(void) { return 0; }' > try.c
"$compiler" try.c -o try 2>/dev/null && ./try || { echo "skipped: $compiler does not work"; exit 77; }
rm -rf objects && mkdir objects || exit 1
# As the build lists them.
sources=$(tr '\n' ' ' < "$runtime/CMakeLists.txt" | sed -n 's/.*freehold_globals_objects OBJECT \([^)]*\)).*/\1/p')
flags="-std=gnu11 -O2 -D_GNU_SOURCE -DFREEHOLD_GLOBALS_GS=1 -DFREEHOLD_GLOBALS_DYNAMIC=1 -I$root/include -I$generated"
# shellcheck disable=SC2086
(cd objects && for file in $sources tsrm_default.c front.c; do "$compiler" $flags -fPIC -fvisibility=hidden -c "$runtime/$file" || exit 1; done) || exit 1
rm -f libtsrm.a && ar rcs libtsrm.a objects/*.o || exit 1
# run NAME COMMAND...
run() {
  name=$1
  shift
  "$@" || { echo "FAILED: $compiler, $name"; failed=1; }
}
# shellcheck disable=SC2086
{
  "$compiler" $flags "$src/inherit.c" libtsrm.a -pthread -o inherit && run archive ./inherit || failed=1
  "$compiler" $flags -static "$src/inherit.c" libtsrm.a -pthread -o inherit-static && run static ./inherit-static || failed=1
  "$compiler" $flags -shared -fPIC objects/*.o -o libtsrm.so &&
    "$compiler" $flags "$src/inherit.c" ./libtsrm.so -pthread -o inherit-shared && run library ./inherit-shared || failed=1
  "$compiler" $flags -fPIC -shared -DFREEHOLD_GLOBALS_DSO=1 -Dmain=test_main "$src/inherit.c" libtsrm.a -o engine.so &&
    "$compiler" -O2 "$src/loader.c" -o loader && run "dlopen'ed" ./loader ./engine.so || failed=1
}
exit $failed
