#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# options.sh LIBDIR - the FREEHOLD_* environment: known, unknown and unbuilt names, the limit, nothing said where nothing is
# wrong.
set -u
preload=$1/libfreehold.so
failed=0
said() { # said PATTERN VARIABLE=VALUE: stderr is one line that matches, or empty for ""
  text=$(env "$2" LD_PRELOAD="$preload" /bin/true 2>&1)
  case $text in
  "freehold: warning: "$1) [ -n "$1" ] || { echo "FAILED $2: $text"; failed=1; } ;;
  *) [ -z "$text" ] && [ -z "$1" ] || { echo "FAILED $2: '$text'"; failed=1; } ;;
  esac
}
said "unknown environment variable FREEHOLD_LIMITS; did you mean FREEHOLD_LIMIT?" FREEHOLD_LIMITS=1
said "unknown environment variable FREEHOLD_STAT; did you mean FREEHOLD_STATS?" FREEHOLD_STAT=1
said "FREEHOLD_STATS is ignored: its value is none of 0|1|json" FREEHOLD_STATS=yes
said "FREEHOLD_PROFILE is known, but its feature is not built yet" FREEHOLD_PROFILE=x
said "FREEHOLD_CHECK is ignored: its value is none of off|check|guard" FREEHOLD_CHECK=on
said "" FREEHOLD_CHECK=guard
said "FREEHOLD_LIMIT is ignored: its value is no size as 512M" FREEHOLD_LIMIT=much
said "" FREEHOLD_STATS=0
said "" FREEHOLD_CHECK=off
said "" FREEHOLD_LIMIT=64M
said "" FREEHOLD_OFF=1
said "" FREEHOLD_PLUGIN_CONFIG=x
# Beyond the limit a program is told so by its own malloc.
out=$(FREEHOLD_LIMIT=64M LD_PRELOAD=$preload python3 -c 'bytearray(200 << 20)' 2>&1)
case $out in *MemoryError*) ;; *) echo "FAILED limit: '$out'"; failed=1 ;; esac
exit $failed
