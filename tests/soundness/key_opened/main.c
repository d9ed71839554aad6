// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-9, 4a-36: a library that the program opens reads the value of a key while it starts, and gives it to a thread.
//
// steps: CLANG -shared -fPIC -pthread plugin.c -o plugin.so; CC -c main.c; LINK main.o -ldl -Wl,-rpath,$ORIGIN
#include "../soundness.h"
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  pthread_key_t key;
  EXPECT(pthread_key_create(&key, NULL) == 0);
  int *block = calloc(1, sizeof *block); // not-local
  int *kept = calloc(1, sizeof *kept);   // local
  *kept = 2;
  pthread_setspecific(key, block);
  char text[16];
  snprintf(text, sizeof text, "%u", key);
  setenv("SOUNDNESS_KEY", text, 1);
  EXPECT(dlopen("plugin.so", RTLD_NOW));
  EXPECT(*block == 1 && *kept == 2);
  free(kept);
  free(block);
  return 0;
}
