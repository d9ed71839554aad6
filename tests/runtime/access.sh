#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# access.sh CC LIBDIR INCLUDEDIR SOURCEDIR WORKDIR - each access model is what it says: seen in the relocations and instructions
# of its libfreehold, and as a library that programs load. (The heap's own tests run in each: runtime.MODEL.*)
set -u
cc=$1 lib=$2 include=$3 src=$4 work=$5
mkdir -p "$work" && cd "$work" || exit 1
failed=0
bad() { echo "FAILED: $*"; failed=$((failed + 1)); }
flags="-O1 -fno-builtin -D_GNU_SOURCE -I$include -I$src"
$cc $flags $src/override_api.c -o plain && $cc $flags $src/late_dlopen.c -o late -ldl || exit 1
for n in 40 2000; do $cc -fPIC -shared -Wl,-z,initfirst -DKEYS=$n $src/use_keys.c -o libkeys$n.so || exit 1; done

# The hot functions of a model, and the relocations of its library.
functions() { objdump -d --no-show-raw-insn --disassemble=malloc "$1"; objdump -d --no-show-raw-insn --disassemble=fh_tls_malloc "$1"
              objdump -d --no-show-raw-insn --disassemble=free "$1"; }
has() { grep -Eq -e "$1" || bad "$model: no $1 in its $2"; }
hasnt() { ! grep -Eq -e "$1" || bad "$model: $1 in its $2"; }

for model in initial-exec local-dynamic global-dynamic tlsdesc key table; do
  so=$lib/access/$model/libfreehold.so
  [ -e "$so" ] || { bad "no $so"; continue; }
  functions "$so" >code.txt && readelf -rW "$so" >relocations.txt && readelf -lW "$so" >segments.txt
  for f in malloc fh_tls_malloc free; do has "<$f>:" code <code.txt; done
  native="TPOFF64|DTPMOD64|DTPOFF64|TLSDESC|__tls_get_addr"
  case $model in
    initial-exec) wanted="TPOFF64.*fh_heads_base" call='%fs:\(%r' never="DTPMOD64|DTPOFF64|TLSDESC|__tls_get_addr" ;;
    local-dynamic) wanted="DTPMOD64 +0" call="call.*<__tls_get_addr" never="TPOFF64|DTPOFF64|TLSDESC" ;;
    global-dynamic) wanted="DTPOFF64.*fh_heads_base" call="call.*<__tls_get_addr" never=" R_X86_64_TPOFF64|TLSDESC" ;;
    tlsdesc) wanted="TLSDESC.*fh_heads_base" call='call +\*\(%rax\)' never="TPOFF64|DTPMOD64|__tls_get_addr" ;;
    key) wanted="pthread_getspecific" call="call.*<pthread_getspecific" never=$native ;;
    table) wanted="pthread_self" call="call.*<fhi_table_find>" never=$native ;;
  esac
  has "$wanted" relocations <relocations.txt
  hasnt "$never" relocations <relocations.txt
  has "$call" code <code.txt
  case $model in
    key | table)
      hasnt '^ *TLS ' segments <segments.txt
      objdump -d "$so" | hasnt '%fs:' code ;;
  esac
  [ "$model" = initial-exec ] || hasnt '%fs:\(%r.*GOT' code <code.txt
  out=$(LD_PRELOAD=$so ./plain ours 2>&1) && [ "$out" = done ] || bad "$model preloaded: $out"
  out=$(./late "$so" 2>/dev/null) && [ "$out" = done ] || bad "$model, late dlopen: $out"
  for n in 40 2000; do
    out=$(LD_PRELOAD="$so $PWD/libkeys$n.so" ./plain ours 2>&1) && [ "$out" = done ] || bad "$model with $n keys taken: $out"
  done
done

# local-exec is the executable's: a constant displacement, no relocation for the loader.
model=local-exec
$cc $flags $src/override_api.c -o plain_a -Wl,-u,malloc "$lib/libfreehold.a" -lpthread || exit 1
functions ./plain_a | has '%fs:0xff[0-9a-f]+|%fs:-0x|%fs:0x0' code
objdump -d --no-show-raw-insn ./plain_a | hasnt 'call.*__tls_get_addr' code
readelf -rW ./plain_a | hasnt "TPOFF64|DTPMOD64|TLSDESC" relocations

# A library with inlined paths needs the thread-local pointer; beside a libfreehold without one it is refused with the name.
model=table
printf 'extern _Thread_local void *fh_heads_base; void *f(void) { return fh_heads_base; }\n' >inlined.c
printf 'void *f(void); int main(void) { return !f(); }\n' >uses.c
$cc -fPIC -shared -ftls-model=initial-exec inlined.c -o libinlined.so -L"$lib/access/initial-exec" -lfreehold &&
  $cc uses.c -o uses -L. -linlined -Wl,--allow-shlib-undefined || exit 1
LD_LIBRARY_PATH=.:$lib/access/initial-exec ./uses || bad "a library with inlined paths does not run beside initial-exec"
LD_LIBRARY_PATH=.:$lib/access/table ./uses 2>&1 | has "undefined symbol: fh_heads_base" message
[ $failed = 0 ] && echo "all models are what they say"
exit $((failed != 0))
