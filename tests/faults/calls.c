// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// calls.c - see calls.h. The errors are those that the kernel gives in a process that is at a limit: of address space, of
// mappings (vm.max_map_count), of memory that is locked (which madvise does not give back).
#include "calls.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static _Atomic(int) Made, Failed;
static _Atomic(bool) Over;
static const char *_Atomic Names;

int calls_made(void) { return atomic_load(&Made); }
int calls_failed(void) { return atomic_load(&Failed); }

void calls_fail(const char *names) {
  atomic_store(&Names, names);
  atomic_store(&Over, true);
}

static bool fails(const char *name) {
  int number = atomic_fetch_add(&Made, 1) + 1;
  const char *plan = environ && !atomic_load(&Over) ? getenv("FAULT") : NULL;
  bool hit = plan && (strncmp(plan, "only ", 5) == 0   ? number == atoi(plan + 5)
                      : strncmp(plan, "from ", 5) == 0 ? number >= atoi(plan + 5)
                                                       : strcmp(plan + 4, name) == 0);
  const char *names = atomic_load(&Names);
  hit |= names && strstr(names, name);
  if (hit)
    atomic_fetch_add(&Failed, 1);
  return hit;
}

#define WRAP(RESULT, NAME, PARAMETERS, ARGUMENTS, ERROR_RESULT, ERROR)                                                           \
  RESULT __real_##NAME PARAMETERS;                                                                                               \
  RESULT __wrap_##NAME PARAMETERS;                                                                                               \
  RESULT __wrap_##NAME PARAMETERS {                                                                                              \
    if (!fails(#NAME))                                                                                                           \
      return __real_##NAME ARGUMENTS;                                                                                            \
    ERROR;                                                                                                                       \
    return ERROR_RESULT;                                                                                                         \
  }

// NOLINTBEGIN: the names are the linker's
WRAP(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset), MAP_FAILED, errno = ENOMEM)
WRAP(int, munmap, (void *at, size_t size), (at, size), -1, errno = ENOMEM)
WRAP(int, mprotect, (void *at, size_t size, int protection), (at, size, protection), -1, errno = ENOMEM)
WRAP(int, madvise, (void *at, size_t size, int advice), (at, size, advice), -1, errno = EINVAL)
WRAP(int, mincore, (void *at, size_t size, unsigned char *here), (at, size, here), -1, errno = EAGAIN)
WRAP(int, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit), -1, errno = EINVAL)
WRAP(int, pthread_key_create, (pthread_key_t * key, void (*destructor)(void *)), (key, destructor), EAGAIN, (void)0)
WRAP(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM, (void)0)
WRAP(int, pthread_atfork, (void (*before)(void), void (*parent)(void), void (*child)(void)), (before, parent, child), ENOMEM,
     (void)0)

void *__real_mremap(void *from, size_t size, size_t new_size, int flags, ...);
void *__wrap_mremap(void *from, size_t size, size_t new_size, int flags, ...);
void *__wrap_mremap(void *from, size_t size, size_t new_size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void *to = va_arg(rest, void *);
  va_end(rest);
  if (!fails("mremap"))
    return __real_mremap(from, size, new_size, flags, to);
  errno = ENOMEM;
  return MAP_FAILED;
}
// NOLINTEND
