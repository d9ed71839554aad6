/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * state.c - where the globals are: another file, as in any engine, so that the accesses show what a declaration gives.
 */
#include "access.h"

#include <stdlib.h>

__attribute__((visibility("hidden"))) void *access_begin(void);

#if defined(ROW_PLAIN)
struct first first;
struct second second;
void *access_begin(void) { return &first; }
#elif defined(ROW_NATIVE)
__thread struct first first ACCESS_MODEL;
__thread struct second second ACCESS_MODEL;
void *access_begin(void) { return &first; }
#elif defined(ROW_KEY)
pthread_key_t first, second;
void *access_begin(void) {
  void *one = calloc(1, sizeof(struct first)), *other = calloc(1, sizeof(struct second));
  return one && other && !pthread_key_create(&first, free) && !pthread_key_create(&second, free) &&
                 !pthread_setspecific(first, one) && !pthread_setspecific(second, other)
             ? one
             : NULL;
}
#elif defined(ROW_TSS)
tss_t first, second;
void *access_begin(void) {
  void *one = calloc(1, sizeof(struct first)), *other = calloc(1, sizeof(struct second));
  return one && other && tss_create(&first, free) == thrd_success && tss_create(&second, free) == thrd_success &&
                 tss_set(first, one) == thrd_success && tss_set(second, other) == thrd_success
             ? one
             : NULL;
}
#elif defined(ROW_FREEHOLD)
FH_GLOBALS_DEFINE(bench);
FH_RESOURCE_DEFINE(bench, first);
FH_RESOURCE_DEFINE(bench, second);
void *access_begin(void) {
  return !fh_globals_startup(&fh_globals_bench) && FH_RESOURCE_REGISTER(bench, first, sizeof(struct first), NULL, NULL) &&
                 FH_RESOURCE_REGISTER(bench, second, sizeof(struct second), NULL, NULL)
             ? fh_globals_thread_init(&fh_globals_bench)
             : NULL;
}
#endif
