// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passed.h - the program around a setter and a getter of libc or the kernel. What includes it defines
//
//   set   hands the whole address, as a number or as the bytes of a text, to the setter; 0: this machine refuses it
//   get   asks the getter for it. The word that it overwrites held the address of the caller's own block
//
// The address itself is never printed, narrowed, shifted, multiplied or compared with another. Two verdicts are due:
//   the block that is handed over: it is another thread's too           local, if the setter's model drops what it is given
//   the block that the other thread hangs into it: it is the maker's too  local, if the getter's model says "nobody's address"
#pragma once

#include "soundness.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct node {
  struct node *next;
  long n;
};
/* An address of user space fills six bytes; as a text the other two end it. */
union word {
  struct node *node;
  uint64_t number;
  char text[8];
};

static int set(union word *w);
static void get(union word *w);

/* Comparing with constants exposes nothing. FITS: what else a text must not have. */
#define BYTE_IS(N, I, C) (((N) & UINT64_C(0xff) << 8 * (I)) == (uint64_t)(C) << 8 * (I))
#define HAS(N, C)                                                                                                                \
  (BYTE_IS(N, 0, C) || BYTE_IS(N, 1, C) || BYTE_IS(N, 2, C) || BYTE_IS(N, 3, C) || BYTE_IS(N, 4, C) || BYTE_IS(N, 5, C))
#ifndef FITS
#define FITS(N) 1
#endif
#define FITS_TEXT(N) (!HAS(N, 0) && !HAS(N, '/') && !HAS(N, '.') && !HAS(N, '%'))
/* What is handed over is the address, each byte changed by KEY: a heap's addresses are full of zeros, which would end a text. The
   analysis follows an exclusive or, so this hides nothing from it. */
#ifndef KEY
#define KEY 0
#endif

/* An empty folder, the working folder from now on. */
static inline void in_folder(void) { EXPECT(mkdir("folder", 0700) == 0 && chdir("folder") == 0); }

/* The name of the one visible entry of the working folder. */
static inline void first_entry(union word *w) {
  DIR *folder = opendir(".");
  EXPECT(folder);
  for (struct dirent *e; (e = readdir(folder));)
    if (e->d_name[0] != '.')
      strcpy(w->text, e->d_name);
  closedir(folder);
}

static struct node *pass(void) {
  union word w = {NULL};
  for (int tries = 0; tries < 3000; tries++) {
    w.node = (struct node *)calloc(1, sizeof *w.node + tries % 8 * 32); // not-local
    struct node *block = w.node;
    w.number ^= KEY;
    if (FITS(w.number))
      return set(&w) ? block : NULL;
  }
  return NULL;
}

static void *take(void *arg) {
  struct node *own = (struct node *)calloc(1, sizeof *own); // any
  union word w = {own};
  w.number ^= KEY;
  get(&w);
  w.number ^= KEY;
  EXPECT(w.node != own);
  w.node->next = (struct node *)calloc(1, sizeof *own); // not-local
  w.node->next->n = 2;
  w.node->n += 1;
  free(own);
  return NULL;
}

#ifndef OWN_MAIN
int main(void) {
  struct node *block = pass();
  if (!block) {
    puts("not passed: refused here, or no address that fits");
    return 0;
  }
  on_thread(take, NULL);
  EXPECT(block->n == 1 && block->next->n == 2);
  free(block->next);
  free(block);
  return 0;
}
#endif
