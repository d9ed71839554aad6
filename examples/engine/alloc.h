/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * alloc.h - the request allocator: memory of this thread that is gone when the request is over.
 *
 * It is Freehold's local heap with a mark at the request's begin. Each function has a twin whose name ends in `ts` and that takes
 * the context; the function itself has to look the context up. The engine calls twins only. With ENGINE_TWINS=0 they become calls
 * of the functions, which is how an engine looks that was not written with twins: compare the two by counting calls of the
 * look-up. Where no context is passed there is nothing to look up, and the two are one.
 *
 * No function returns NULL: without memory the request ends with an error.
 */
#ifndef ENGINE_ALLOC_H
#define ENGINE_ALLOC_H

#include "globals.h"

#ifndef ENGINE_TWINS
#define ENGINE_TWINS 1
#endif

void *emalloc(size_t size);
void *ecalloc(size_t count, size_t size);
void *erealloc(void *p, size_t size);
char *estrdup(const char *s);
char *estrndup(const char *s, size_t n);
void efree(void *p);
void efree_size(void *p, size_t size); /* size: as allocated */

/* persistent: the block survives the request and comes from malloc. */
void *pemalloc(size_t size, bool persistent);
void pefree(void *p, bool persistent);

#define ENGINE_FIRST(a, ...) a
#define ENGINE_TWO(a, b, ...) a, b
#define ENGINE_WITHOUT1(function, ...) function(ENGINE_FIRST(__VA_ARGS__, 0))
#define ENGINE_WITHOUT2(function, ...) function(ENGINE_TWO(__VA_ARGS__, 0))

#if ENGINE_HAS_CONTEXT && (ENGINE_TWINS || defined(ENGINE_ALLOC_C))
void *emallocts(size_t size ENGINE_DC);
void *ecallocts(size_t count, size_t size ENGINE_DC);
void *ereallocts(void *p, size_t size ENGINE_DC);
char *estrdupts(const char *s ENGINE_DC);
char *estrndupts(const char *s, size_t n ENGINE_DC);
void efreets(void *p ENGINE_DC);
void efree_sizets(void *p, size_t size ENGINE_DC);
void *pemallocts(size_t size, bool persistent ENGINE_DC);
void pefreets(void *p, bool persistent ENGINE_DC);
#else
/* The macros' arguments are expanded first: ENGINE_CC is then an argument of its own, and dropped. */
#define emallocts(...) ENGINE_WITHOUT1(emalloc, __VA_ARGS__)
#define ecallocts(...) ENGINE_WITHOUT2(ecalloc, __VA_ARGS__)
#define ereallocts(...) ENGINE_WITHOUT2(erealloc, __VA_ARGS__)
#define estrdupts(...) ENGINE_WITHOUT1(estrdup, __VA_ARGS__)
#define estrndupts(...) ENGINE_WITHOUT2(estrndup, __VA_ARGS__)
#define efreets(...) ENGINE_WITHOUT1(efree, __VA_ARGS__)
#define efree_sizets(...) ENGINE_WITHOUT2(efree_size, __VA_ARGS__)
#define pemallocts(...) ENGINE_WITHOUT2(pemalloc, __VA_ARGS__)
#define pefreets(...) ENGINE_WITHOUT2(pefree, __VA_ARGS__)
#endif

/* A request begins, and ends with all of its memory dropped at once. */
void alloc_begin(ENGINE_D);
void alloc_end(ENGINE_D);

#endif
