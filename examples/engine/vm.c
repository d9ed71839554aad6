/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * vm.c - the loop, and how errors leave it.
 */
#include "vm.h"

#include <stdarg.h>
#include <string.h>

const handler engine_handlers[] = {
#define ENGINE_OP(name, what) op_##name,
#include "ops.def"
#undef ENGINE_OP
};

void vm_run(function *main ENGINE_DC) {
  frame *f = (frame *)EG(stack_top);
  memset(f, 0, main->frame_size);
  f->function = main;
  EG(stack_top) += main->frame_size;
  EG(frame) = f;
  /* The main program's variables are the global ones: references that the table of symbols shares. */
  for (uint32_t i = 0; i < main->variable_count; i++) {
    entry *e = hash_put_str(TG(symbols), main->variables[i] ENGINE_CC);
    if (!e->u.cell)
      ALLOC_INIT_ZVAL_TS(e->u.cell);
    e->u.cell->refs++;
    e->u.cell->is_ref = true;
    f->variables[i] = e->u.cell;
  }
  op *op = main->ops;
  do {
    EG(op) = op;
    op = op->run(op ENGINE_CC);
  } while (op);
}

static void report(const char *message, uint32_t line ENGINE_DC) {
  if (EG(errors))
    fprintf(EG(errors), "%s:%u: error: %s\n", LG(file) ? LG(file) : "?", line, message);
}

void vm_error(const char *format, ...) {
  ENGINE_FETCH;
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  report(message, EG(op) ? EG(op)->line : LG(line) ENGINE_CC);
  longjmp(*EG(bailout), 1);
}

void vm_compile_error(const char *what ENGINE_DC) {
  report(what, LG(line) ENGINE_CC);
  longjmp(*EG(bailout), 1);
}

void vm_interrupted(ENGINE_D) {
  __atomic_store_n(EG_ADDRESS(interrupt), false, __ATOMIC_RELAXED);
  report("interrupted", EG(op)->line ENGINE_CC);
  longjmp(*EG(bailout), 1);
}
