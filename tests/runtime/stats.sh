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
    assert s["system"]["mapped_bytes"] == s["local"]["mapped_bytes"] + s["shared"]["mapped_bytes"] + s["system"]["cached_bytes"]
    assert s["system"]["resident_bytes"] <= s["system"]["peak_resident_bytes"] and s["system"]["resident_bytes"] > 5000000
END
# The same under glibc's names. malloc_info is well-formed, its totals are the sums of its heaps.
$cc -O1 -fno-builtin -D_GNU_SOURCE -I$include -I$src $src/stats_agree.c -o agree_so -L$lib -Wl,-rpath,$lib -lfreehold || failed=1
$cc -O1 -fno-builtin -D_GNU_SOURCE -I$include -I$src $src/stats_agree.c -o agree_a -Wl,-u,malloc $lib/libfreehold.a -lpthread || failed=1
for kind in "so off" "so check" "so guard" "a off" "a check"; do
  FREEHOLD_CHECK=${kind#* } ./agree_${kind% *} info.xml >out.txt 2>err.txt || bad "agree_$kind"
  python3 - info.xml out.txt <<'END' || bad "agree_$kind: numbers"
import sys, xml.etree.ElementTree as ET
xml = ET.parse(sys.argv[1]).getroot()
said = {k: int(v) for k, v in (line.split() for line in open(sys.argv[2]))}
heaps = xml.findall("heap")
def total(of, name, kind, key):
    return int(of.find(f"{name}[@type='{kind}']").get(key))
for name, kind, key in ("total", "rest", "count"), ("total", "rest", "size"), ("total", "mmap", "count"), ("total", "mmap", "size"), ("system", "current", "size"):
    assert total(xml, name, kind, key) == sum(total(h, name, kind, key) for h in heaps), (name, kind, key)
live = sum(int(h.get("live")) for h in heaps)
assert len(heaps) == said["heaps"] == 4 and {h.get("kind") for h in heaps} == {"local", "shared"} and len({h.get("thread") for h in heaps}) == 2
assert live == said["live"] == said["uordblks"] + said["hblkhd"]
assert said["huge"] == said["hblkhd"] == total(xml, "total", "mmap", "size") >= 40 << 20
assert said["huge-blocks"] == said["hblks"] == total(xml, "total", "mmap", "count") == 2
assert said["arena"] == said["segments"] << 22 == total(xml, "system", "current", "size") == said["uordblks"] + said["fordblks"]
assert said["fordblks"] == total(xml, "total", "rest", "size") and said["idle"] == said["keepcost"]
assert said["ordblks"] == said["segments"] * 64 - said["pages"] == total(xml, "total", "rest", "count")
END
done
exit $failed
