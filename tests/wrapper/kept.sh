#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kept.sh - a local site that a link did not rewrite says why, and nobody is told to link with freehold-cc who did.
. "$(dirname "$0")/common.sh"

# kept TEXT: the one site of r.json and r.txt is local, not rewritten, and says TEXT
kept() {
  python3 - "$1" <<'PY' || fail "r.json does not say: $1"
import json, sys
sites = json.load(open("r.json"))["sites"]
assert len(sites) == 1 and sites[0]["verdict"] == "local" and not sites[0]["rewritten"] and sys.argv[1] in sites[0]["not_rewritten"], sites
PY
  grep -q "not rewritten: .*$1" r.txt || fail "r.txt does not say: $1: $(cat r.txt)"
  grep -q "next: .*link with freehold-cc" r.txt && fail "wrong advice: $(cat r.txt)"
  expect 0 "$BIN/freehold" explain "$(python3 -c 'import json; s = json.load(open("r.json"))["sites"][0]; print("%s:%d" % (s["file"], s["line"]))')" r.json
}
reports="--freehold-report=r.json --freehold-report=r.txt"
cat >pair.c <<'C'
#include <stdlib.h>
int main(int argc, char **argv) {
  int *p = malloc(sizeof *p);
  *p = argc;
  int result = *p - 1;
  free(p);
  return result;
}
C
silent "$FCC" -O2 pair.c $reports -o prog; kept "no call of it is left"; expect 0 ./prog
cat >aligned.cpp <<'C'
struct alignas(64) Wide { char bytes[64]; };
int main(int argc, char **) {
  Wide *w = new Wide;
  w->bytes[0] = char(argc);
  int result = w->bytes[0] - 1;
  delete w;
  return result;
}
C
silent "$FCXX" -std=c++17 -O0 aligned.cpp $reports -o prog; kept "the local heap has no"; expect 0 ./prog
cat >replaced.cpp <<'C'
#include <cstdlib>
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, unsigned long) noexcept { std::free(p); }
int main(int argc, char **) {
  int *p = new int(argc);
  int result = *p - 1;
  delete p;
  return result;
}
C
silent "$FCXX" -O0 replaced.cpp $reports -o prog; kept "replaces the allocator"; expect 0 ./prog
# nothing to rewrite, or not analysed at all
echo 'int main(void) { return 0; }' >none.c
silent "$FCC" none.c $reports -o prog; grep -q "next: nothing" r.txt || fail "no sites: $(cat r.txt)"
for off in --freehold-off FREEHOLD_OFF=1; do
  rm -f r.json
  case $off in
  -*) silent "$FCC" $off pair.c $reports -o prog ;;
  *) silent env $off "$FCC" pair.c $reports -o prog ;;
  esac
  grep -q '"aside"' r.json || fail "$off: no report"
  expect 0 ./prog
done
# without a link the advice stands
expect 0 "$BIN/freehold" analyze pair.c; grep -q "next: link with freehold-cc" out || fail "analyze: $(cat out)"
exit 0
