// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: a 32-bit distance between parts of one block is harmless; between two blocks it hides one.
#include "soundness.h"

struct inner {
  int32_t to_text;
  char text[12];
};
static char arena[256];

static void *user(void *arg) {
  char *base = arg;
  int32_t distance;
  memcpy(&distance, base, sizeof distance);
  char **slot = (char **)(base + distance);
  (*slot)[0] = 'X';
  return NULL;
}

int main(void) {
  struct inner *mine = malloc(sizeof *mine); // local
  mine->to_text = (int32_t)(mine->text - (char *)mine);
  ((char *)mine)[mine->to_text] = 'a';
  char *block = strdup("block"); // shared: FH101
  char **slot = (char **)(arena + 64);
  *slot = block;
  int32_t distance = (int32_t)((char *)slot - arena);
  memcpy(arena, &distance, sizeof distance);
  on_thread(user, arena);
  EXPECT(block[0] == 'X' && mine->text[0] == 'a');
  free(block);
  free(mine);
  return 0;
}
