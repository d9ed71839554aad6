#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# install.sh CMAKE BUILDDIR WORKDIR CC CXX - installs the component `runtime` into a prefix of its own, moves the prefix, and
# builds a small program over it with pkg-config and with find_package, against the shared library and the archive.
set -u
cmake=$1 build=$2 work=$3 cc=$4 cxx=$5
src=$(cd "$(dirname "$0")" && pwd)
failed=0 ran=0
rm -rf "$work" && mkdir -p "$work/project" && cd "$work" || exit 1
"$cmake" --install "$build" --component runtime --prefix "$work/first" >install.txt 2>&1 || { cat install.txt; echo "FAILED: install"; exit 1; }
mv first prefix # nothing in it may know where it was
prefix=$work/prefix

# expect NAME OUT COMMAND...
expect() {
  name=$1 out=$2
  shift 2
  ran=$((ran + 1))
  got=$("$@" 2>&1)
  [ "$got" = "$out" ] || { echo "FAILED $name: expected '$out', got '$got'"; failed=$((failed + 1)); }
}
build() { "$@" >build.txt 2>&1 || { echo "FAILED to build: $*"; head -c 2000 build.txt; failed=$((failed + 1)); }; }

if command -v pkg-config >/dev/null; then
  pc=$(dirname "$(find "$prefix" -name freehold.pc)")
  flags() { PKG_CONFIG_PATH=$pc pkg-config "$@"; }
  expect "version" "$(sed -n 's/^Version: //p' "$pc/freehold.pc")" flags --modversion freehold
  libdir=$(flags --variable=libdir freehold)
  for compiler in "$cc" "$cxx -x c++ -std=c++17"; do
    build $compiler -O2 $(flags --cflags freehold) "$src/consumer.c" -o shared -x none $(flags --libs freehold)
    expect "pkg-config, $compiler" pointer env LD_LIBRARY_PATH="$libdir" ./shared
    build $compiler -O2 $(flags --cflags freehold-static) "$src/consumer.c" -o archive -x none $(flags --libs freehold-static)
    expect "pkg-config freehold-static, $compiler" static ./archive
    build $compiler -O2 -static $(flags --static --cflags freehold) "$src/consumer.c" -o all_static -x none $(flags --static --libs freehold)
    expect "pkg-config --static, $compiler" static ./all_static
  done
  # Globals in every mode: an executable with a module of its own, and an engine that is dlopen'ed.
  globals=$src/../globals
  build $cc -O2 "$globals/loader.c" -o loader
  for mode in static gs cached pointer passed classic auto; do
    ours=$(flags --cflags freehold-tsrm-$mode) dso=$(flags --cflags freehold-tsrm-$mode-dso)
    for compiler in "$cc" gcc; do
      command -v ${compiler%% *} >/dev/null || continue
      build $compiler -O2 -D_GNU_SOURCE $ours "$globals/rfc.c" -o rfc $(flags --libs freehold-tsrm-$mode)
      build $compiler -O2 -D_GNU_SOURCE $ours -fPIC -shared "$globals/rfc_module.c" -o rfc_module.so
      expect "freehold-tsrm-$mode, $compiler" 0 sh -c './rfc ./rfc_module.so; echo $?'
      build $compiler -O2 -D_GNU_SOURCE -Dcount=test_main $dso -shared "$src/../cli/Inputs/globals.c" -o engine.so \
        $(flags --libs freehold-tsrm-$mode-dso)
      expect "freehold-tsrm-$mode-dso, $compiler" 0 sh -c "LD_LIBRARY_PATH='$libdir' ./loader ./engine.so; echo \$?"
    done
    build $cc -O2 -D_GNU_SOURCE -DMAIN $dso "$src/../cli/Inputs/globals.c" -o linked $(flags --libs freehold-tsrm-$mode-dso) -pthread
    expect "freehold-tsrm-$mode-dso, a program" 0 sh -c "LD_LIBRARY_PATH='$libdir' ./linked; echo \$?"
  done
  # The short way to the heads and the shared library do not fit: the linker must say so.
  ran=$((ran + 1))
  $cc -O2 -DFREEHOLD_STATIC=1 $(flags --cflags freehold) "$src/consumer.c" -o wrong $(flags --libs freehold) 2>wrong.txt &&
    { echo "FAILED: -DFREEHOLD_STATIC=1 linked with libfreehold.so"; failed=$((failed + 1)); }
  grep -q fh_heads wrong.txt || { echo "FAILED: the linker does not name fh_heads"; failed=$((failed + 1)); }
else
  echo "no pkg-config: its files were not tested"
fi

cat >project/CMakeLists.txt <<TEXT
cmake_minimum_required(VERSION 3.20)
project(Consumer LANGUAGES C CXX)
find_package(Freehold 0.1 REQUIRED)
set(CMAKE_CXX_STANDARD 17)
configure_file($src/consumer.c consumer.cpp COPYONLY)
foreach(mode static gs cached pointer passed classic auto gs_shared)
  add_executable(globals_\${mode} $src/../cli/Inputs/globals.c)
  target_compile_definitions(globals_\${mode} PRIVATE MAIN)
  target_link_libraries(globals_\${mode} PRIVATE Freehold::globals_\${mode})
endforeach()
freehold_globals_layout(ENGINE own RESOURCES number=long)
foreach(kind freehold freehold_static)
  add_executable(c_\${kind} $src/consumer.c)
  target_link_libraries(c_\${kind} PRIVATE Freehold::\${kind})
  add_executable(cxx_\${kind} \${CMAKE_CURRENT_BINARY_DIR}/consumer.cpp)
  target_link_libraries(cxx_\${kind} PRIVATE Freehold::\${kind})
endforeach()
TEXT
build "$cmake" -S project -B project/build -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix"
build "$cmake" --build project/build
for language in c cxx; do
  expect "find_package, $language, Freehold::freehold" pointer project/build/${language}_freehold
  expect "find_package, $language, Freehold::freehold_static" static project/build/${language}_freehold_static
done
for mode in static gs cached pointer passed classic auto gs_shared; do
  expect "find_package, Freehold::globals_$mode" 0 sh -c "project/build/globals_$mode; echo \$?"
done
[ -f project/build/own_layout.h ] || { echo "FAILED: freehold_globals_layout wrote no layout"; failed=$((failed + 1)); }

# Links between the installed documents lead somewhere.
ran=$((ran + 1))
"$cmake" --install "$build" --prefix "$work/whole" >install.txt 2>&1 || { cat install.txt; echo "FAILED: install of everything"; exit 1; }
if command -v python3 >/dev/null; then
  python3 - "$work/whole" <<'TEXT' || failed=$((failed + 1))
import pathlib, re, sys
bad, seen = 0, 0
for page in pathlib.Path(sys.argv[1]).glob("share/doc/freehold/**/*.md"):
    for target in re.findall(r"\[[^\]\n]*\]\(([^)\s#]+)[^)]*\)", page.read_text()):
        seen += 1
        if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
            print(f"FAILED: {page} links to {target}, which is not installed")
            bad = 1
if not seen:
    print("FAILED: no installed documents found")
sys.exit(bad or not seen)
TEXT
fi
echo "$ran cases, $failed failed"
[ $failed = 0 ]
