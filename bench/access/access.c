/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * access.c - what is measured: functions of no, one and four reads of globals. After each read the compiler must believe that
 * memory has changed, as it must after a call in real code.
 */
#include "access.h"

#define READ(place) __asm__ volatile("" : : "r"(place) : "memory")

static void none(void *context) { (void)context; }

static void one(void *context) {
  ENTER;
  (void)context;
  READ(A(a));
}

static void four(void *context) {
  ENTER;
  (void)context;
  READ(A(a));
  READ(B(a));
  READ(A(b));
  READ(B(b));
}

extern __attribute__((visibility("hidden"))) void *access_begin(void);
const struct access access_functions = {none, one, four, access_begin};
