// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-36: strchr, strstr, memchr and bsearch return pointers into their argument.
#include "soundness.h"

static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static char *texts[3];
static int *number;

static void *user(void *arg) {
  for (int i = 0; i < 3; i++)
    texts[i][0] = '!';
  *number = 0;
  return NULL;
}

int main(void) {
  char *a = strdup("some=thing");             // shared: FH101
  char *b = strdup("some=thing");             // shared: FH101
  char *c = strdup("some=thing");             // shared: FH101
  char *d = strdup("some=thing");             // local
  int *numbers = malloc(3 * sizeof *numbers); // shared: FH101
  for (int i = 0; i < 3; i++)
    numbers[i] = i;
  int key = 1;
  texts[0] = strchr(a, '=');
  texts[1] = strstr(b, "th");
  texts[2] = memchr(c, 'g', 10);
  number = bsearch(&key, numbers, 3, sizeof *numbers, compare);
  on_thread(user, NULL);
  EXPECT(a[4] == '!' && b[5] == '!' && c[9] == '!' && numbers[1] == 0 && *strchr(d, '=') == '=');
  free(a);
  free(b);
  free(c);
  free(d);
  free(numbers);
  return 0;
}
