/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals/block.h - what compiled code knows of a thread block and of an engine: this is ABI, FH_GLOBALS_VERSION names it.
 */
#ifndef FREEHOLD_GLOBALS_BLOCK_H
#define FREEHOLD_GLOBALS_BLOCK_H

#define FH_GLOBALS_VERSION 1

/* The head of a thread block. Behind it, at FH_GLOBALS_HEADER, the resources. */
typedef struct fh_globals_block {
  void **storage;   /* storage[id - 1]: the resource's address, NULL without one. Compiled PHP extensions know that it
                       is the first word. Grown by replacing it: an old table stays readable until the thread ends */
  int count;        /* entries that storage has */
  uintptr_t thread; /* pthread_self() of its thread */
  struct fh_globals_block *next; /* internal */
  struct fh_globals_block *self; /* mode gs reads it at %gs:FH_GLOBALS_SELF */
  uintptr_t owner;               /* thread pointer of the registered thread that has it as its own; 0: nobody has */
  uint64_t magic;                /* FH_GLOBALS_MAGIC while it is a block */
  struct fh_globals *engine;
  void *record;                 /* internal */
  size_t kept;                  /* internal */
  struct fh_globals_block *all; /* internal */
  void *unused[5];
} fh_globals_block_t;

#define FH_GLOBALS_HEADER 128
#define FH_GLOBALS_ALIGNMENT 64 /* of a block */
#define FH_GLOBALS_SELF 32
#define FH_GLOBALS_MAGIC UINT64_C(0x66682d626c6f636b)

/* One line of the generated layout. */
typedef struct fh_globals_slot {
  const char *name; /* NULL ends the list */
  size_t offset, size;
} fh_globals_slot_t;

/* An engine. Made by FH_GLOBALS_DEFINE, never by hand. */
typedef struct fh_globals {
  unsigned char version, mode;
  unsigned char also; /* a second mode that modules may be compiled for, 0: none */
  const char *name;
  const fh_globals_slot_t *layout;
  size_t reserve, size;                /* where the reserve begins, and the block ends */
  fh_globals_block_t *(*native)(void); /* the calling thread's block as a thread-local variable; NULL: blocks are on the heap */
  fh_globals_block_t **(*cache)(void); /* the calling thread's cache pointer; NULL: there is none */
  uint64_t internal[128];
} fh_globals_t;

#endif
