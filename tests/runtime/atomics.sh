#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# atomics.sh LIBDIR OBJDUMP - no locked instruction, exchange with memory or fence in the functions of the local heap: fast paths,
# pages and runs. (Taking a segment from the system and making a heap are the global lock's.)
set -u
lib=$1 objdump=$2 failed=0
bad() { "$objdump" -d --no-show-raw-insn "$lib" 2>/dev/null |
  awk -v names=" $1 " '/^[0-9a-f]+ <.*>:$/ { gsub(/[<>:]/, "", $2); inside = index(names, " " $2 " ") } inside' |
  grep -E '[[:space:]](lock|mfence|lfence|sfence|xchg[a-z]*[[:space:]].*\(|cmpxchg|xadd)' ; }
names="fh_tls_malloc fh_tls_malloc_class fh_tls_free fh_tls_free_sized fh_tls_strdup fh_is_local fhi_local_malloc_slow fhi_page_trigger
 fhi_run_take fhi_run_take_at fhi_run_give fhi_large_free fhi_pool_remove fhi_free fh_check_access malloc free"
names=$(echo $names)
for file in "$lib"/libfreehold.so "$lib"/libfreehold.a; do
  lib=$file
  # The functions must be there, else the test would say nothing.
  for name in fh_tls_malloc fh_tls_free fhi_page_trigger fhi_run_take malloc free; do
    "$objdump" -d "$file" | grep -q "<$name>:" || { echo "FAILED: no $name in $file"; failed=1; }
  done
  if bad "$names"; then echo "FAILED: atomic instructions above in $file"; failed=1; fi
  [ -n "$(bad fhi_free_slow; bad fhi_remote_drain; bad free_in_segment)" ] || { echo "FAILED: the test finds no atomics even where there are some"; failed=1; }
done
exit $failed
