#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# layout.sh LAYOUT WORKDIR - freehold-layout: what it writes, and what it says of input that cannot be.
set -u
layout=$1 work=$2 failed=0
rm -rf "$work" && mkdir -p "$work/other" && cd "$work" || exit 1
echo 'struct first { char bytes[100]; };' >types.h
echo 'struct second { long one; };' >other/more.h

fail() { echo "FAILED $1"; failed=1; }
# refuses CODE TEXT ARGUMENT...
refuses() {
  code=$1 text=$2 && shift 2
  "$layout" "$@" >out 2>err
  [ $? = "$code" ] && grep -q -- "$text" err || { fail "$*"; cat err; }
}

# A header beside the caller, and one where the flags look.
"$layout" --engine e --include types.h --include more.h --reserve 64 -o e.h 'a=struct first' 'b=struct second' c=8 -- -Iother || fail "relative headers"
for line in 'FH_LAYOUT_e_a 128' 'FH_LAYOUT_e_a_SIZE 100' 'FH_LAYOUT_e_b 240' 'FH_LAYOUT_e_c 256' 'FH_LAYOUT_e_RESERVE 320' 'FH_LAYOUT_e_SIZE 384' \
  'FH_LAYOUT_LINES_e ~, "a 128 100,b 240 8,c 256 8"'; do
  grep -qxF "#define $line" e.h || fail "$line"
done
# An engine of TSRM's has a symbol for its extensions, of another name for another layout.
symbol() { "$layout" --engine tsrm "$@" | grep '^#define FH_LAYOUT_tsrm_SYMBOL fh_layout_of_other_headers_rebuild_[0-9]*$' || fail "symbol: $*"; }
[ "$(symbol a=8 b=16)" = "$(symbol a=8 b=16)" ] || fail "the symbol of one layout differs"
[ "$(symbol a=8 b=16)" != "$(symbol b=16 a=8)" ] || fail "the symbol of two orders"
[ "$(symbol a=8 b=16)" != "$(symbol a=8 b=24)" ] || fail "the symbol of two sizes"
# One that has not changed is not written.
touch -d 2001-01-01 e.h
"$layout" --engine e --include types.h --include more.h --reserve 64 -o e.h 'a=struct first' 'b=struct second' c=8 -- -Iother
[ -n "$(find e.h -newermt 2002-01-01)" ] && fail "an unchanged layout was written"

# Types of C++, where there is a compiler.
if command -v c++ >/dev/null; then
  echo 'struct base { long one; }; struct derived : base { long two; };' >types.hh
  "$layout" --engine e --cc c++ --include types.hh d=derived | grep -q '^#define FH_LAYOUT_e_d_SIZE 16$' || fail "C++"
fi

refuses 2 "at least one RESOURCE=TYPE" --engine e
refuses 2 "neither an option nor RESOURCE=TYPE" --engine e '1=8'
refuses 2 "takes a number of bytes" --engine e --reserve x a=8
refuses 2 "needs a value" --engine
refuses 3 "do not compile" --engine e 'a=struct unknown'
refuses 3 "do not compile" --engine e --include missing.h a=8
refuses 3 "a is given twice" --engine e a=8 a=8
refuses 3 "a has no size" --engine e a=0
exit $failed
