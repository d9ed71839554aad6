#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# stats.sh CC LIBDIR INCLUDEDIR SOURCEDIR WORKDIR - FREEHOLD_STATS: what a process prints when it ends, in programs of every kind.
set -u
cc=$1 lib=$2 include=$3 src=$4 work=$5
mkdir -p "$work" && cd "$work" || exit 1
failed=0
preload=$lib/libfreehold.so
bad() { echo "FAILED $1: $(head -c 400 err.txt)"; failed=1; }
# prints COUNT NAME COMMAND...: COMMAND ends with 0 and its processes print COUNT texts in all.
prints() {
  count=$1 name=$2
  shift 2
  "$@" >out.txt 2>err.txt || bad "$name"
  [ "$(grep -c '^freehold: statistics of process' err.txt)" = "$count" ] || bad "$name"
}
cat >ends.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char *volatile p = malloc(5000000);
  const char *how = argc > 1 ? argv[1] : "return";
  memset(p, 1, 5000000);
  if (strcmp(how, "_exit") == 0)
    _exit(0);
  if (strcmp(how, "closed") == 0)
    close(2);
  if (strcmp(how, "reused") == 0) { // all closed, and a file where stderr's copy was
    for (int i = 2; i < 1024; ++i)
      close(i);
    for (int i = 0; i < 300; ++i)
      if (!fopen("reused.txt", "a"))
        abort();
  }
  if (strcmp(how, "fork") == 0 && fork() == 0)
    exit(0);
  while (wait(NULL) > 0)
    ;
  return 0;
}
END
$cc -O1 -fno-builtin ends.c -o ends || exit 1
prints 1 "preloaded" env FREEHOLD_STATS=1 LD_PRELOAD=$preload ./ends
grep -q '^  live .* 4\.[0-9] MiB  *4\.[0-9] MiB ' err.txt || bad "preloaded: five million bytes"
prints 1 "an option of its own" env FREEHOLD_STATS=1 FREEHOLD_LIMIT=1G LD_PRELOAD=$preload ./ends
prints 2 "fork" env FREEHOLD_STATS=1 LD_PRELOAD=$preload ./ends fork
[ "$(sed -n 's/^freehold: statistics of process \([0-9]*\) .*/\1/p' err.txt | sort -u | wc -l)" = 2 ] || bad "each with its own pid"
prints 0 "_exit" env FREEHOLD_STATS=1 LD_PRELOAD=$preload ./ends _exit
prints 1 "stderr closed before" env FREEHOLD_STATS=1 LD_PRELOAD=$preload ./ends closed
prints 1 "ls, which closes it" env FREEHOLD_STATS=1 LD_PRELOAD=$preload /bin/ls /
rm -f reused.txt
prints 0 "all descriptors taken" env FREEHOLD_STATS=1 LD_PRELOAD=$preload ./ends reused
prints 0 "off" env FREEHOLD_STATS=0 LD_PRELOAD=$preload ./ends
prints 0 "not asked" env LD_PRELOAD=$preload ./ends
[ ! -s err.txt ] || bad "not asked"
for how in "-pie -fPIE" "-no-pie -fno-PIE" "-static" "-static-pie -fPIE"; do
  $cc -O1 -fno-builtin $how ends.c -o ends_a -Wl,-u,malloc $lib/libfreehold.a -lpthread || failed=1
  prints 1 "archive $how" env FREEHOLD_STATS=1 ./ends_a
done
# JSON: one line a process, each right by the schema; sums are sums.
env FREEHOLD_STATS=json LD_PRELOAD=$preload ./ends fork >out.txt 2>err.txt
[ "$(wc -l <err.txt)" = 2 ] || bad "JSON: a line a process"
head -n 1 err.txt >one.json
for file in one.json; do
  python3 "$src/../cli/Inputs/validate.py" "$src/../../docs/stats-schema.json" $file || bad "JSON: the schema"
done
python3 - err.txt <<'END' || bad "JSON: sums"
import json, sys
for line in open(sys.argv[1]):
    s = json.loads(line)
    assert s["program"] == "ends" and len(s["threads"]) == 1 and s["threads"][0]["is_caller"] and s["threads"][0]["tid"] == s["pid"]
    for kind in "local", "shared":
        for key in s[kind]:
            if key != "heaps":
                assert s[kind][key] >= sum(t[kind][key] for t in s["threads"]), (kind, key)
    assert s["shared"]["live_bytes"] >= 5000000 and s["shared"]["huge_blocks"] == 1 and s["system"]["limit_bytes"] is None
    assert s["system"]["resident_bytes"] <= s["system"]["peak_resident_bytes"] and s["system"]["resident_bytes"] > 5000000
END
exit $failed
