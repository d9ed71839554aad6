// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: strtok goes on in the string that another thread gave it.
#include "soundness.h"

static void *second(void *arg) {
  char *word = strtok(NULL, " ");
  EXPECT(word && strcmp(word, "two") == 0);
  word[0] = 'T';
  return NULL;
}

int main(void) {
  char *text = strdup("one two"); // shared: FH302
  EXPECT(strcmp(strtok(text, " "), "one") == 0);
  on_thread(second, NULL);
  EXPECT(text[4] == 'T');
  free(text);
  return 0;
}
