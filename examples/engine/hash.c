/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * hash.c - ordered hash tables. See hash.h.
 */
#include "hash.h"

#include <string.h>

enum { FREE = UINT32_MAX, LEAST_ROOM = 8 };

/* Fibonacci hashing: keys that follow each other must not fall into one run. */
static inline uint32_t spread(const hash *h, uint64_t key) {
  return (uint32_t)((key * 11400714819323198485u) >> 32) & h->index_mask;
}

static void release_cell(void *item ENGINE_DC) {
  if (item)
    value_release(item ENGINE_CC);
}

hash *hash_new(uint32_t room ENGINE_DC) {
  hash *h = emallocts(sizeof *h ENGINE_CC);
  *h = (hash){.refs = 1, .release = release_cell};
  if (room) {
    h->room = room < LEAST_ROOM ? LEAST_ROOM : room;
    h->entries = emallocts(h->room * sizeof(entry) ENGINE_CC);
  }
  return h;
}

hash *hash_new_table(ENGINE_D) {
  hash *h = hash_new(0 ENGINE_CC);
  h->release = NULL;
  return h;
}

void hash_release(hash *h ENGINE_DC) {
  if (--h->refs)
    return;
  for (uint32_t i = 0; i < h->used; i++) {
    entry *e = &h->entries[i];
    if (e->gone)
      continue;
    if (e->key)
      str_release(e->key ENGINE_CC);
    if (h->release)
      h->release(e->u.item ENGINE_CC);
  }
  if (h->index)
    efreets(h->index ENGINE_CC);
  if (h->entries)
    efreets(h->entries ENGINE_CC);
  efree_sizets(h, sizeof *h ENGINE_CC);
}

static void index_entry(hash *h, uint32_t ordinal) {
  uint32_t at = spread(h, h->entries[ordinal].h);
  while (h->index[at] != FREE)
    at = (at + 1) & h->index_mask;
  h->index[at] = ordinal;
}

/* The index at least twice as large as the entries: runs stay short. Entries that are gone stay in it until here. */
static void make_index(hash *h ENGINE_DC) {
  uint32_t size = 2 * LEAST_ROOM;
  while (size < 2 * h->room)
    size *= 2;
  if (h->index)
    efreets(h->index ENGINE_CC);
  h->index = emallocts(size * sizeof *h->index ENGINE_CC);
  h->index_mask = size - 1;
  memset(h->index, 0xff, size * sizeof *h->index);
  for (uint32_t i = 0; i < h->used; i++)
    if (!h->entries[i].gone)
      index_entry(h, i);
}

/* Room for one more entry: squeezes out those that are gone if they are many, else doubles. */
static void grow(hash *h ENGINE_DC) {
  if (h->index && h->count < h->used - h->used / 4) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->used; i++)
      if (!h->entries[i].gone)
        h->entries[kept++] = h->entries[i];
    h->used = kept;
  } else {
    h->room = h->room ? 2 * h->room : LEAST_ROOM;
    h->entries =
        h->entries ? ereallocts(h->entries, h->room * sizeof(entry) ENGINE_CC) : emallocts(h->room * sizeof(entry) ENGINE_CC);
  }
  if (h->index)
    make_index(h ENGINE_CC);
}

hash *hash_duplicate(const hash *from ENGINE_DC) {
  hash *h = hash_new(from->room ENGINE_CC);
  h->next = from->next;
  for (uint32_t i = 0; i < from->used; i++) {
    const entry *e = &from->entries[i];
    if (e->gone)
      continue;
    h->entries[h->used] = *e;
    h->used++;
    if (e->key)
      e->key->refs++;
    if (e->u.cell)
      e->u.cell->refs++;
  }
  h->count = h->used;
  if (from->index)
    make_index(h ENGINE_CC);
  return h;
}

entry *hash_find_int(const hash *h, int64_t key) {
  if (!h->index)
    return (uint64_t)key < h->used ? &h->entries[key] : NULL;
  for (uint32_t at = spread(h, (uint64_t)key); h->index[at] != FREE; at = (at + 1) & h->index_mask) {
    entry *e = &h->entries[h->index[at]];
    if (e->h == (uint64_t)key && !e->key && !e->gone)
      return e;
  }
  return NULL;
}

static entry *find_text(const hash *h, uint64_t code, const char *text, size_t length) {
  if (!h->index)
    return NULL;
  for (uint32_t at = spread(h, code); h->index[at] != FREE; at = (at + 1) & h->index_mask) {
    entry *e = &h->entries[h->index[at]];
    if (e->h == code && !e->gone && e->key && e->key->length == length &&
        (e->key->text == text || !memcmp(e->key->text, text, length)))
      return e;
  }
  return NULL;
}

entry *hash_find_str(const hash *h, str *key) { return h->index ? find_text(h, str_hash(key), key->text, key->length) : NULL; }

entry *hash_find_text(const hash *h, const char *name) {
  uint64_t code = 14695981039346656037u;
  for (const char *at = name; *at; at++)
    code = (code ^ (unsigned char)*at) * 1099511628211u;
  return find_text(h, code | (uint64_t)1 << 63, name, strlen(name));
}

static entry *append(hash *h, str *key, uint64_t code ENGINE_DC) {
  if (h->used == h->room)
    grow(h ENGINE_CC);
  bool packed = !h->index;
  entry *e = &h->entries[h->used];
  *e = (entry){.key = key, .h = code};
  if (key)
    key->refs++;
  else if ((int64_t)code >= h->next)
    h->next = (int64_t)(code + 1);
  h->used++;
  h->count++;
  if (!packed)
    index_entry(h, h->used - 1);
  else if (key || code != h->used - 1)
    make_index(h ENGINE_CC);
  return &h->entries[h->used - 1];
}

entry *hash_put_int(hash *h, int64_t key ENGINE_DC) {
  entry *e = hash_find_int(h, key);
  return e ? e : append(h, NULL, (uint64_t)key ENGINE_CC);
}

entry *hash_put_str(hash *h, str *key ENGINE_DC) {
  entry *e = hash_find_str(h, key);
  return e ? e : append(h, key, str_hash(key) ENGINE_CC);
}

entry *hash_push(hash *h ENGINE_DC) { return append(h, NULL, (uint64_t)h->next ENGINE_CC); }

/* "12" and 12 are one key, "012" is another. */
static bool numeric_key(const str *s, int64_t *key) {
  size_t i = s->text[0] == '-' && s->length > 1;
  if (s->length == 0 || s->length > 18 || (s->text[i] == '0' && s->length > 1))
    return false;
  int64_t n = 0;
  for (size_t k = i; k < s->length; k++) {
    if (s->text[k] < '0' || s->text[k] > '9')
      return false;
    n = n * 10 + (s->text[k] - '0');
  }
  *key = i ? -n : n;
  return true;
}

entry *hash_find(const hash *h, const value *key) {
  int64_t number;
  if (key->type == T_INT)
    return hash_find_int(h, key->u.i);
  if (key->type == T_STRING && !numeric_key(key->u.s, &number))
    return hash_find_str(h, key->u.s);
  return hash_find_int(h, key->type == T_STRING ? number : value_int(key));
}

entry *hash_put(hash *h, const value *key ENGINE_DC) {
  int64_t number;
  if (key->type == T_INT)
    return hash_put_int(h, key->u.i ENGINE_CC);
  if (key->type == T_STRING && !numeric_key(key->u.s, &number))
    return hash_put_str(h, key->u.s ENGINE_CC);
  return hash_put_int(h, key->type == T_STRING ? number : value_int(key) ENGINE_CC);
}

/* An entry that is gone stays in the index, so that runs through it still hold together. */
void hash_remove(hash *h, entry *e ENGINE_DC) {
  if (!h->index)
    make_index(h ENGINE_CC);
  void *item = e->u.item;
  str *key = e->key;
  e->gone = true;
  e->u.item = NULL;
  e->key = NULL;
  h->count--;
  if (key)
    str_release(key ENGINE_CC);
  if (h->release)
    h->release(item ENGINE_CC);
}
