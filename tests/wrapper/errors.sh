#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# errors.sh - errors are clang's and the linker's own, with their codes; foreign and corrupt inputs included.
. "$(dirname "$0")/common.sh"

same -c broken.c
same broken.c -o prog
echo '#warning w' >warn.c; echo 'int main(void) { int unused; return 0; }' >>warn.c
same -Wall -c warn.c
same -Wall warn.c -o prog
expect 0 "$CLANG" -c main.c
same main.o -o prog              # helper is missing
silent "$FCC" -c main.c
same main.o -o prog
same main.c -o prog
echo 'not an object' >text.o; same text.o -o prog
head -c 300 main.o >short.o; same short.o -o prog
: >empty.o; same empty.o -o prog
printf '!<arch>\ngarbage' >bad.a; same main.o bad.a -o prog
same main.o nosuch.o -o prog
same main.o -lnosuchlibrary -o prog
silent "$FCC" -c helper.c
same main.o helper.o helper.o -o prog
same main.o helper.o -o no/such/folder/prog
exit 0
