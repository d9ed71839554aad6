// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// step.h - counts the calling thread's own instructions by stepping through them: with the processor's trap flag set each one
// ends in a SIGTRAP, whose handler counts. Exact, needs no counters and no simulator, and works under every allocator, those that
// map more than a simulator can hold included. A microsecond an instruction, on some virtual machines fifty. x86, 32 bits too.
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>

#ifdef __x86_64__
#define STEP_IP REG_RIP
#define STEP_READ_FLAGS __builtin_ia32_readeflags_u64
#define STEP_WRITE_FLAGS __builtin_ia32_writeeflags_u64
#else
#define STEP_IP REG_EIP
#define STEP_READ_FLAGS __builtin_ia32_readeflags_u32
#define STEP_WRITE_FLAGS __builtin_ia32_writeeflags_u32
#endif

static volatile unsigned long step_count;
static uintptr_t *step_addresses; // where the addresses of the next step_room instructions go, if anywhere
static unsigned long step_room;

static void step_seen(int signal, siginfo_t *info, void *context) {
  const ucontext_t *stopped = (const ucontext_t *)context;
  (void)signal;
  (void)info;
  if (step_count < step_room)
    step_addresses[step_count] = (uintptr_t)stopped->uc_mcontext.gregs[STEP_IP];
  step_count++;
}

static void step_prepare(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = step_seen;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, NULL);
}

enum { STEP_TRAP_FLAG = 0x100 };
static int step_armed; // until then the two below do nothing

static inline __attribute__((always_inline)) void step_begin(void) {
  if (step_armed)
    STEP_WRITE_FLAGS(STEP_READ_FLAGS() | STEP_TRAP_FLAG);
}

static inline __attribute__((always_inline)) void step_end(void) {
  if (step_armed)
    STEP_WRITE_FLAGS(STEP_READ_FLAGS() & ~(size_t)STEP_TRAP_FLAG);
}
