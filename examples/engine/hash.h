/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * hash.h - ordered hash tables: the language's arrays, and the engine's own tables of names.
 *
 * Entries lie in the order of insertion. While the keys are 0, 1, 2 ... in that order there is no index: entry i has key i. Else
 * the index maps hashes to entries, by linear probing.
 */
#ifndef ENGINE_HASH_H
#define ENGINE_HASH_H

#include "value.h"

typedef struct entry {
  union {
    value *cell;
    void *item; /* in tables of functions and classes */
  } u;
  str *key;   /* NULL: the key is the integer h */
  uint64_t h; /* the key or its hash */
  bool gone;
} entry;

struct hash {
  uint32_t refs;
  uint32_t count;      /* entries that are not gone */
  uint32_t used, room; /* entries in use, gone ones too; allocated */
  uint32_t *index;     /* index_mask + 1 ordinals, NULL while packed */
  uint32_t index_mask;
  int64_t next; /* the key that `$a[] =` takes */
  entry *entries;
  /* What becomes of an item whose entry goes; NULL: nothing. */
  void (*release)(void *item ENGINE_DC);
};

hash *hash_new(uint32_t room ENGINE_DC); /* an array: items are cells */
hash *hash_new_table(ENGINE_D);          /* a table of names whose items belong to somebody else */
void hash_release(hash *h ENGINE_DC);
hash *hash_duplicate(const hash *h ENGINE_DC); /* of an array: it shares the cells */

/* NULL if there is none. */
entry *hash_find_int(const hash *h, int64_t key);
entry *hash_find_str(const hash *h, str *key);
entry *hash_find(const hash *h, const value *key);
entry *hash_find_text(const hash *h, const char *name);
/* The entry of that key; a new one's item is NULL. It stays where it is until the next insertion. */
entry *hash_put_int(hash *h, int64_t key ENGINE_DC);
entry *hash_put_str(hash *h, str *key ENGINE_DC);
entry *hash_put(hash *h, const value *key ENGINE_DC);
entry *hash_push(hash *h ENGINE_DC);
void hash_remove(hash *h, entry *e ENGINE_DC);

#endif
