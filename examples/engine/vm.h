/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * vm.h - the machine: what the files of instructions share, and how it is entered and left.
 *
 * The loop calls one function an instruction. Each finds the running frame in EG(frame), so there is no instruction that does not
 * use a global; the loop itself puts the instruction into EG(op), for the line in error messages.
 */
#ifndef ENGINE_VM_H
#define ENGINE_VM_H

#include "code.h"

/* Runs a function without parameters to its end. */
void vm_run(function *main ENGINE_DC);

/* These end the request: a message with the line, and a jump to EG(bailout). vm_error looks its context up. */
_Noreturn void vm_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void vm_compile_error(const char *what ENGINE_DC);
_Noreturn void vm_interrupted(ENGINE_D);

/* ---- operands ---- */
#define VM_AT(frame, offset) ((char *)(frame) + (offset))

static inline value *vm_temporary(frame *f, uint32_t offset) { return (value *)VM_AT(f, offset); }
static inline value **vm_variable(frame *f, uint32_t offset) { return (value **)VM_AT(f, offset); }

static inline const value *vm_read(frame *f, uint8_t kind, uint32_t offset) {
  if (kind == K_VARIABLE) {
    value *cell = *vm_variable(f, offset);
    return cell ? cell : &value_null;
  }
  return kind == K_TEMPORARY ? vm_temporary(f, offset) : (value *)((char *)f->function->literals + offset);
}

/* The instruction has read its operand: a temporary's payload is dropped. */
static inline void vm_done(uint8_t kind, const value *v ENGINE_DC) {
  if (kind == K_TEMPORARY)
    value_drop((value *)v ENGINE_CC);
}

/* A place that is written to: a variable, or what WRITE_... has put into a temporary. */
static inline value **vm_place(frame *f, uint8_t kind, uint32_t offset) {
  return kind == K_VARIABLE ? vm_variable(f, offset) : vm_temporary(f, offset)->u.slot;
}

/* Jumps, and calls, look whether the request is to end. */
static inline op *vm_jump(op *op ENGINE_DC) {
  if (__builtin_expect(ENGINE_PEEK(EG(interrupt)), 0))
    vm_interrupted(ENGINE_C);
  return op + op->jump;
}

/* ---- shared by the files of instructions ---- */
typedef void (*vm_operator)(value *result, const value *a, const value *b ENGINE_DC);
vm_operator vm_binary(int code);
/* *slot's own array, which nobody shares; null becomes one. */
hash *vm_array_for_writing(value **slot ENGINE_DC);
class *vm_class(const value *name ENGINE_DC);
/* A variable, element or property gets a value. cell: it is some variable's cell, which may be shared; else a payload. */
void vm_assign(value **slot, const value *v, uint8_t kind ENGINE_DC);

/* ---- built-in functions, of the engine and of modules ---- */
typedef struct builtin {
  const char *name; /* NULL ends a list */
  native call;
  uint32_t least_arguments;
} builtin;
void vm_declare(const builtin *list ENGINE_DC);
extern const builtin engine_builtins[];

#endif
