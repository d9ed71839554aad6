#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# programs.sh LIBDIR SURFACE DELETES FOLDER - the preloaded library under FREEHOLD_CHECK: programs that are right say what they
# always say, and one that is wrong is stopped.
set -u
preload=$1/libfreehold.so surface=$2 deletes=$3 folder=$4 failed=0
mkdir -p "$folder"
bad() { echo "FAILED: $1"; failed=1; }

stops() { # stops MODE SHAPE LINE [PROGRAM]
  text=$( (FREEHOLD_CHECK=$1 LD_PRELOAD=$preload exec "${4:-$surface}" "$2") 2>&1)
  status=$?
  case $text in "freehold: $3"*" thread "*) [ $status = 134 ] || bad "$1, $2: status $status" ;; *) bad "$1, $2: '$text'" ;; esac
}
for mode in check guard; do
  stops $mode twice "double free: block 0x"
  stops $mode over "overflow: block 0x"
  stops $mode inside "invalid free: 0x"
  stops $mode foreign "invalid free: 0x"
  stops $mode size "wrong size: block 0x"
  stops $mode "aligned size" "wrong size: block 0x"
  stops $mode "alignment" "wrong alignment: block 0x"
  stops $mode "no alignment" "wrong alignment: block 0x"
  for shape in size array aligned; do stops $mode $shape "wrong size: block 0x" "$deletes"; done
  stops $mode alignment "wrong alignment: block 0x" "$deletes"
done
stops guard behind "overflow: block 0x"
# A signal that was sent, by no access, does what it always did.
for mode in off check guard; do
  text=$( (FREEHOLD_CHECK=$mode LD_PRELOAD=$preload exec "$surface" raised) 2>&1)
  status=$?
  [ $status = 139 ] && [ -z "$text" ] || bad "$mode, raised: status $status, '$text'"
done
# Without FREEHOLD_CHECK what costs nothing is stopped all the same.
stops off twice "double free: block 0x"
stops off inside "invalid free: 0x"

i=0
while [ $i -lt 30000 ]; do
  echo "line $((i * 7919 % 30011)) $i"
  i=$((i + 1))
done >"$folder/lines"
cat >"$folder/threads.py" <<'PYTHON'
import collections, json, re, threading
def work(k, out):
    records = [{"key": str(i), "text": "x" * (i % 97)} for i in range(4000)]
    out[k] = collections.Counter(len(r["text"]) for r in json.loads(json.dumps(records)))[k]
out = {}
threads = [threading.Thread(target=work, args=(k, out)) for k in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(out.items()), len(re.sub("e+", "", open(__file__).read() * 500)))
PYTHON
same() { # same COMMAND...: it prints with the library, in each mode, what it prints without
  expected=$("$@" 2>&1; echo "status $?")
  for mode in off check guard; do
    got=$( (FREEHOLD_CHECK=$mode LD_PRELOAD=$preload; export FREEHOLD_CHECK LD_PRELOAD; exec "$@") 2>&1; echo "status $?")
    [ "$got" = "$expected" ] || bad "$mode: $*: $(echo "$got" | tail -3)"
  done
}
same ls -lR /usr/include
same sort "$folder/lines"
same sh -c 'for i in 1 2 3 4 5 6 7 8; do (echo $i | cat); done'
same python3 "$folder/threads.py"
if command -v git >/dev/null; then
  rm -rf "$folder/repository"
  same sh -c "rm -rf '$folder/repository'; git init -q '$folder/repository' && cp '$folder/lines' '$folder/repository' &&
    cd '$folder/repository' && git add lines && GIT_COMMITTER_DATE=2000-01-01T00:00:00Z GIT_AUTHOR_DATE=2000-01-01T00:00:00Z \
    git -c user.name=a -c user.email=a@b commit -qm lines && git log -p | sha1sum && git fsck"
fi
for right in "$surface" "$deletes"; do
  [ "$(FREEHOLD_CHECK=guard LD_PRELOAD=$preload "$right" nothing 2>&1)" = fine ] || bad "$right, which is right"
done
exit $failed
