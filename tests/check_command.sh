# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_command.sh - for tests of command lines, which source it: a folder $work that is gone at the end, `check`, and $failed,
# which they exit with.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

check() { # WANTED-EXIT PATTERN COMMAND...: the pattern must be in what it says
  wanted=$1 pattern=$2
  shift 2
  timeout 60 "$@" >"$work/out" 2>&1
  got=$?
  if [ $got -ne "$wanted" ] || ! grep -q -- "$pattern" "$work/out"; then
    echo "FAIL: $*: exit $got, wanted $wanted and '$pattern'; it said:"
    cat "$work/out"
    failed=1
  fi
}
