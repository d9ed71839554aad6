// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the mask of a signal's action: sigaction.
//
// sanitizer: none
#define FITS(N) (((N) & UINT64_C(0x40100)) == 0)
#include "passed.h"
#include <signal.h>

static int set(union word *w) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  memcpy(&action.sa_mask, w, sizeof *w);
  return sigaction(SIGUSR1, &action, NULL) == 0;
}

static void get(union word *w) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  memcpy(&action.sa_mask, w, sizeof *w);
  EXPECT(sigaction(SIGUSR1, NULL, &action) == 0);
  memcpy(w, &action.sa_mask, sizeof *w);
}
