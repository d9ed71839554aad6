// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-36: getpwuid_r's result leads into the caller's buffer.
#include "soundness.h"
#include <pwd.h>

static struct passwd entry;

static void *user(void *arg) {
  if (entry.pw_name)
    entry.pw_name[0] = '!';
  return NULL;
}

int main(void) {
  struct passwd *result = NULL;
  char *buffer = malloc(4096); // not-local
  buffer[0] = 0;
  int fault = getpwuid_r(0, &entry, buffer, 4096, &result);
  if (fault || !result)
    entry.pw_name = NULL;
  on_thread(user, NULL);
  free(buffer);
  return 0;
}
