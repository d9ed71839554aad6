/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * access.h - how a row reaches its globals: A(m) is a member of the first struct, B(m) of the second, ENTER what a function that
 * was handed `context` does before. One of ROW_* is defined; MODEL is a TLS model by name, or not defined.
 */
#ifndef ACCESS_H
#define ACCESS_H

#include "types.h"

#ifdef MODEL
#define ACCESS_MODEL __attribute__((tls_model(MODEL)))
#else
#define ACCESS_MODEL
#endif
#ifdef ACCESS_HIDDEN
#define ACCESS_VISIBLE __attribute__((visibility("hidden")))
#else
#define ACCESS_VISIBLE
#endif

#if defined(ROW_PLAIN)
extern ACCESS_VISIBLE struct first first;
extern ACCESS_VISIBLE struct second second;
#define A(m) (first.m)
#define B(m) (second.m)
#elif defined(ROW_NATIVE)
extern ACCESS_VISIBLE __thread struct first first ACCESS_MODEL;
extern ACCESS_VISIBLE __thread struct second second ACCESS_MODEL;
#define A(m) (first.m)
#define B(m) (second.m)
#elif defined(ROW_KEY)
#include <pthread.h>
extern pthread_key_t first, second;
#define A(m) (((struct first *)pthread_getspecific(first))->m)
#define B(m) (((struct second *)pthread_getspecific(second))->m)
#elif defined(ROW_TSS)
#include <threads.h>
extern tss_t first, second;
#define A(m) (((struct first *)tss_get(first))->m)
#define B(m) (((struct second *)tss_get(second))->m)
#elif defined(ROW_FREEHOLD)
#include <freehold/globals.h>

#include "bench_layout.h" /* generated from types.h */
FH_GLOBALS_DECLARE(bench);
FH_RESOURCE_DECLARE(bench, first);
FH_RESOURCE_DECLARE(bench, second);
#ifdef ROW_VALUE
#define A(m) FH_G_VALUE(bench, first, struct first, m)
#define B(m) FH_G_VALUE(bench, second, struct second, m)
#else
#define A(m) FH_G(bench, first, struct first, m)
#define B(m) FH_G(bench, second, struct second, m)
#endif
#ifdef ROW_FETCH
#define ENTER FH_GLOBALS_FETCH(bench)
#elif defined(ROW_KEEP)
#define ENTER FH_GLOBALS_KEEP(bench)
#else
#define ENTER FH_GLOBALS_FETCH_FROM(context)
#endif
#endif

#ifndef ENTER
#define ENTER ((void)0)
#endif

#endif
