// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// library.c - the program's part that is loaded at run time.
#define OWN_MAIN
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "../passed.h"

static pthread_t named;

static int set(union word *w) {
  named = pthread_self();
  return pthread_setname_np(named, w->text) == 0;
}

static void get(union word *w) {
  union word name[2] = {*w, *w};
  EXPECT(pthread_getname_np(named, name[0].text, sizeof name) == 0);
  *w = name[0];
}

int library_pass(void);
void library_take(void);
void library_end(void);

int library_pass(void) { return pass() != NULL; }
void library_take(void) { take(NULL); }

void library_end(void) {
  union word w = {NULL};
  get(&w);
  w.number ^= KEY;
  EXPECT(w.node->n == 1 && w.node->next->n == 2);
  free(w.node->next);
  free(w.node);
}
