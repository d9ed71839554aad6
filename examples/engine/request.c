/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * request.c - one run of a script.
 *
 * All that a request allocates comes from the request allocator, tables and code included: its end is one reset of the heap, and
 * nobody walks over what is left.
 */
#include "request.h"

#include "module.h"
#include "output.h"
#include "vm.h"

static void begin(ENGINE_D) {
  alloc_begin(ENGINE_C);
  EG(frame) = NULL;
  EG(op) = NULL;
  EG(stack_top) = EG(stack);
  TG(functions) = hash_new_table(ENGINE_C);
  TG(classes) = hash_new_table(ENGINE_C);
  TG(constants) = hash_new_table(ENGINE_C);
  TG(symbols) = hash_new(0 ENGINE_CC);
  vm_declare(engine_builtins ENGINE_CC);
  modules_request_begin(ENGINE_C);
  output_clear(ENGINE_C);
}

static void end(ENGINE_D) {
  TG(functions) = TG(classes) = TG(constants) = TG(symbols) = NULL;
  EG(frame) = NULL;
  EG(op) = NULL;
  EG(bailout) = NULL;
  alloc_end(ENGINE_C);
  EG(requests)++;
}

typedef struct work {
  const char *name, *text, *row;
  size_t length;
  row_list *rows; /* only list them */
} work;

/* A request around work: an error in it comes back to here. */
static bool guarded(const work *w ENGINE_DC) {
  jmp_buf bailout;
  EG(bailout) = &bailout;
  EG(failed) = false;
  if (setjmp(bailout)) {
    EG(failed) = true;
  } else {
    begin(ENGINE_C);
    if (w->rows)
      compile_list_rows(w->name, w->text, w->length, w->rows ENGINE_CC);
    else
      vm_run(compile_source(w->name, w->text, w->length, w->row ENGINE_CC) ENGINE_CC);
  }
  end(ENGINE_C);
  return !EG(failed);
}

bool request_run(const char *name, const char *text, size_t length, const char *row ENGINE_DC) {
  work w = {.name = name, .text = text, .row = row, .length = length};
  return guarded(&w ENGINE_CC);
}

bool request_list_rows(const char *name, const char *text, size_t length, row_list *rows ENGINE_DC) {
  work w = {.name = name, .text = text, .length = length, .rows = rows};
  return guarded(&w ENGINE_CC);
}
