// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-32: a once routine runs on whichever thread comes first.
#include "soundness.h"

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int *made;

static void make(void) {
  made = malloc(sizeof *made); // shared: FH101
  *made = 9;
}

static void *user(void *arg) {
  pthread_once(&control, make);
  return NULL;
}

int main(void) {
  on_thread(user, NULL);
  pthread_once(&control, make);
  EXPECT(*made == 9);
  free(made);
  return 0;
}
