// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// header_malloc.c - a library to preload: a malloc that puts a word before each block of the next malloc, as tracers do. A block
// of its own that reaches another free, or the other way round, is found by that word.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { Header = 16 };
static const uint64_t Magic = 0x6b1d0ce5a11c0de5;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static int is_mine(const void *p) { return memcmp((const char *)p - Header, &Magic, sizeof Magic) == 0; }

void *malloc(size_t size) {
  char *p = ((void *(*)(size_t))next("malloc"))(size + Header);
  if (!p)
    return NULL;
  memcpy(p, &Magic, sizeof Magic);
  return p + Header;
}

void free(void *p) {
  if (!p)
    return;
  if (is_mine(p)) {
    p = (char *)p - Header;
    memset(p, 0, Header);
  }
  ((void (*)(void *))next("free"))(p);
}

void *calloc(size_t count, size_t size) {
  void *p = malloc(count * size);
  return p ? memset(p, 0, count * size) : NULL;
}

void *realloc(void *p, size_t size) {
  if (!p)
    return malloc(size);
  if (!is_mine(p))
    return ((void *(*)(void *, size_t))next("realloc"))(p, size);
  char *moved = ((void *(*)(void *, size_t))next("realloc"))((char *)p - Header, size + Header);
  return moved ? moved + Header : NULL;
}
