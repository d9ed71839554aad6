/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * types.h - the two structs of globals that the bench reaches, and what a program of it has.
 */
#ifndef ACCESS_TYPES_H
#define ACCESS_TYPES_H

struct first {
  int a, b;
};
struct second {
#ifdef ACCESS_LARGE
  char before[8192]; /* more than any loader keeps for a library that comes later */
#endif
  int a, b;
};

/* The functions that are counted and timed. context: what access_begin gave. */
struct access {
  void (*none)(void *context), (*one)(void *context), (*four)(void *context);
  void *(*begin)(void); /* once, on the measuring thread; NULL: no memory, or refused */
};

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    __attribute__((visibility("default"))) const struct access access_functions;

#endif
