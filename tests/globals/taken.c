// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// taken.c - %gs cannot be had: it is another's, or the kernel only pretends to set it. The engine is not started, a line says
// what to build instead, what was there is left alone; and when it is free again, the engine starts. Mode gs, by system calls,
// which are this file's.
#include "engine.h"

#include "../runtime/check.h"

#include <sys/syscall.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

#define SET_GS 0x1001
#define GET_GS 0x1004
static bool Pretends;

unsigned long getauxval(unsigned long type) {
  (void)type;
  return 0; // no instructions for it
}

long syscall(long number, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, number);
  long first = __builtin_va_arg(arguments, long), second = __builtin_va_arg(arguments, long);
  long third = __builtin_va_arg(arguments, long), result; // write has three, and its calls come here too
  __builtin_va_end(arguments);
  if (Pretends && number == SYS_arch_prctl && first == SET_GS)
    return 0;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
  return result;
}

static uintptr_t base(void) {
  uintptr_t now = 1;
  CHECK(syscall(SYS_arch_prctl, GET_GS, &now) == 0);
  return now;
}

static void refused(const char *line) {
  int ends[2], saved = dup(2);
  char said[400] = "";
  CHECK(pipe(ends) == 0);
  dup2(ends[1], 2);
  int error = fh_globals_startup(ENGINE);
  fh_globals_block_t *block = fh_globals_thread_init(ENGINE);
  dup2(saved, 2);
  CHECK(error == FH_GLOBALS_EGS && !block && read(ends[0], said, sizeof said - 1) > 0);
  if (strcmp(said, line) != 0)
    fprintf(stderr, "not '%s': %s", line, said);
  CHECK(strcmp(said, line) == 0);
  close(ends[0]), close(ends[1]), close(saved);
}

int main(void) {
  uintptr_t others[8] = {0};
  CHECK(syscall(SYS_arch_prctl, SET_GS, others) == 0);
  refused(
      "freehold: globals of test: %gs is in use by something that is not Freehold's: use the build with mode cached instead\n");
  CHECK(base() == (uintptr_t)others && syscall(SYS_arch_prctl, SET_GS, 0) == 0);
  Pretends = true;
  refused("freehold: globals of test: %gs cannot be set on this machine: use the build with mode cached instead\n");
  Pretends = false;
  CHECK(fh_globals_startup(ENGINE) == 0 && fh_globals_thread_init(ENGINE) && base() == (uintptr_t)fh_globals_self(ENGINE));
  CHECK(fh_globals_shutdown(ENGINE) == 0 && base() == 0);
  return 0;
}
