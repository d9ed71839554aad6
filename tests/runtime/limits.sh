#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# limits.sh CC LIBDIR SOURCEDIR WORKDIR - memory that runs out is an answer, not an accident; and a small program stays small.
set -u
cc=$1 preload=$2/libfreehold.so src=$3 work=$4
mkdir -p "$work" && cd "$work" || exit 1
$cc -O1 -fno-builtin -D_GNU_SOURCE -I"$src" "$src/limits.c" -o limits || exit 1
failed=0
run() {
  name=$1
  shift
  "$@" || { echo "FAILED $name"; failed=1; }
}
limited() (
  ulimit -v 262144
  LD_PRELOAD=$preload ./limits
)
run "256 MiB of address space from the start" limited
run "256 MiB of address space from some time on" env LD_PRELOAD="$preload" ./limits 256
run "a mapping in the way" env LD_PRELOAD="$preload" ./limits occupied
run "mapped ahead, and no addresses left" env LD_PRELOAD="$preload" ./limits ahead
run "FREEHOLD_LIMIT of two segments" env FREEHOLD_LIMIT=8M LD_PRELOAD="$preload" ./limits little
run "FREEHOLD_LIMIT" env FREEHOLD_LIMIT=256M LD_PRELOAD="$preload" ./limits
ours=$(LD_PRELOAD=$preload ./limits rss) theirs=$(./limits rss)
echo "resident at start: $ours KiB, with the C library's malloc $theirs"
[ "$ours" -le $((theirs + 2048)) ] || { echo "FAILED: starts too large"; failed=1; }
exit $failed
