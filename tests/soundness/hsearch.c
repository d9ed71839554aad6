// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: libc's hash table keeps keys and data.
#include "soundness.h"
#include <search.h>

static void *finder(void *arg) {
  ENTRY *found = hsearch((ENTRY){.key = "key"}, FIND);
  EXPECT(found && *(int *)found->data == 1);
  *(int *)found->data = 2;
  return NULL;
}

int main(void) {
  int *data = malloc(sizeof *data); // not-local
  *data = 1;
  hcreate(8);
  hsearch((ENTRY){.key = strdup("key"), .data = data}, ENTER); // not-local
  on_thread(finder, NULL);
  EXPECT(*data == 2);
  hdestroy();
  free(data);
  return 0;
}
