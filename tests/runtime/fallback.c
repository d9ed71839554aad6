// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fallback.c - heap creation fails midway: threads without a local heap get shared blocks from the local functions, and every
// local free and realloc treats them right. Beyond the limit: NULL and ENOMEM, and recovery.
#include "heaps.h"

#include "../../runtime/os/options.h"
#include <errno.h>
#include <pthread.h>

static void *use(void *argument) {
  int local = 0;
  for (size_t size = 1; size < 5000000; size *= 2) {
    char *p = fh_tls_malloc(size), *q = fh_tls_calloc(1, size), *r = fh_tls_aligned_alloc(256, size);
    CHECK(p && q && r && ((uintptr_t)r & 255) == 0);
    local = fh_is_local(p);
    CHECK(fh_is_local(q) == local && fh_is_local(r) == local);
    p[0] = 1;
    p = fh_tls_realloc(p, size * 3);
    CHECK(p[0] == 1 && fh_is_local(p) == local && q[size - 1] == 0);
    fh_tls_free_sized(p, size * 3);
    fh_tls_free(q);
    fhi_free(r);
  }
  char *s = fh_tls_strdup("owner"), *t = fh_tls_strndup("ownership", 5);
  CHECK(strcmp(s, t) == 0);
  fh_tls_free(s);
  fh_tls_free(t);
  *(int *)argument = local;
  return NULL;
}

// A local function that answers with a shared block has succeeded: errno is as it was. So has a realloc that leaves the block
// where it is.
static void quietly(void) {
  static void *kept[4096];
  int count = 0;
  void *room = fhi_shared_malloc(100000), *p;
  fhi_free(room); // a segment with room
  fhi_trim();
  room = fhi_shared_malloc(100000);
  fhi_options.limit = fhi_mapped_bytes();
  errno = 0;
  while (count < 4096 && (p = kept[count++] = fh_tls_malloc(100000)) && fh_is_local(p))
    ;
  CHECK(p && !fh_is_local(p) && errno == 0);
  p = kept[count++] = fh_tls_calloc(100000, 1);
  CHECK(p && !fh_is_local(p) && errno == 0);
  p = kept[count++] = fh_tls_aligned_alloc(65536, 65536);
  CHECK(p && !fh_is_local(p) && errno == 0);
  while (count)
    fhi_free(kept[--count]);
  fhi_free(room);
  fhi_options.limit = SIZE_MAX;
}

static void limit(void) {
  fhi_trim();
  size_t mapped = fhi_mapped_bytes();
  fhi_options.limit = mapped + (32u << 20);
  void *kept[128]; // more than the limit allows with all that threads left behind
  int count = 0;
  while (count < 128 && (kept[count] = fhi_shared_malloc(1 << 20)))
    ++count;
  CHECK(count > 4 && count < 128 && errno == ENOMEM);
  errno = 0;
  CHECK(fh_tls_malloc(64 << 20) == NULL && errno == ENOMEM);
  while (count)
    fhi_free(kept[--count]);
  fhi_options.limit = SIZE_MAX;
  void *p = fh_tls_malloc(64 << 20);
  CHECK(p);
  fh_tls_free(p);
}

int main(void) {
  heaps_start();
  fhi_test_heaps_left = 3;
  pthread_t threads[8];
  int local[8], total = 0;
  for (int i = 0; i < 8; ++i)
    CHECK(pthread_create(&threads[i], NULL, use, &local[i]) == 0);
  for (int i = 0; i < 8; ++i)
    pthread_join(threads[i], NULL), total += local[i];
  CHECK(total == 3);
  fhi_test_heaps_left = -1;
  quietly();
  limit();
  return 0;
}
