// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// on-heap CODE: is libfreehold's malloc the process's? Prints it with LD_PRELOAD's other entries, and ends with CODE; 256 and more is
// a signal.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int code = argc > 1 ? atoi(argv[1]) : 0;
  const char *preload = getenv("LD_PRELOAD"), *rest = preload ? strchr(preload, ':') : NULL;
  printf("%s %s\n", dlsym(RTLD_DEFAULT, "fh_is_local") ? "freehold" : "plain", rest ? rest : "-");
  fflush(stdout);
  if (code >= 256)
    raise(code - 256);
  return code;
}
