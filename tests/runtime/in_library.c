// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// in_library.c - runs a test that lies, heap and all, in a shared library: preload it, and this calls its test_main. Access
// models of libraries are what they are only there: in an executable the linker turns all of them into local-exec.
#include <stddef.h>

extern int test_main(int argc, char **argv) __attribute__((weak));

int main(int argc, char **argv) { return test_main ? test_main(argc, argv) : 2; }
