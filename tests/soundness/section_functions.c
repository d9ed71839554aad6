// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-30: functions in a linker set are called by nobody's name.
#include "soundness.h"

typedef void (*keeper)(int *);
static int *kept;
static void keep(int *p) { kept = p; }
__attribute__((used, section("keepers"))) static keeper entry = keep;
extern keeper __start_keepers[], __stop_keepers[];

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  for (keeper *k = __start_keepers; k != __stop_keepers; k++)
    (*k)(block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
