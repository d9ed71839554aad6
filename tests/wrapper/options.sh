#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# options.sh - a wrong option of ours is a usage error (2) in one line, before anything is compiled.
. "$(dirname "$0")/common.sh"

usage() { expect 2 "$FCC" "$@" broken.c; [ "$(wc -l <err)" -eq 1 ] || fail "more than one line: $*"; }
usage --freehold-chekc;                     says "did you mean '--freehold-check'"
usage --freehold-report;                    says "needs a value"
usage --freehold-report=x.html;             says "not built yet"
usage --freehold-report=x.sarif;            says "not built yet"
usage --freehold-report=x.pdf;              says "ends in .txt or .json"
usage --freehold-escape=confined;           says "not built yet"
usage --freehold-escape=sideways;           says "no value of"
usage --freehold-points-to=field-based;     says "not built yet"
usage --freehold-points-to=field-based;     says "not built yet"
usage --freehold-context-depth=2;           says "not built yet"
usage --freehold-time-limit=3;              says "not built yet"
usage --freehold-check=yes;                 says "takes no value"
silent "$FCC" --freehold-escape=reachable --freehold-points-to=field-sensitive --freehold-context-depth=3 -c helper.c
echo '-c --freehold-nosuch helper.c' >args
expect 2 "$FCC" @args

# The environment: one list with the runtime's.
FREEHOLD_LIMTI=1G "$FCC" -c helper.c 2>err || fail "an unknown variable must not break a build"
grep -q "unknown environment variable FREEHOLD_LIMTI; did you mean FREEHOLD_LIMIT?" err || fail "unknown variable: $(cat err)"
FREEHOLD_LIMIT=1G silent "$FCC" -c helper.c
FREEHOLD_OFF=1 silent "$FCC" -c helper.c -o off.o
readelf -SW off.o | grep -q llvm.lto && fail "FREEHOLD_OFF=1 is not plain clang"
exit 0
