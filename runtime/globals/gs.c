// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gs.c - the segment register that nobody else uses on x86-64 Linux: who claims it, and its base.
//
// Written and read by instructions where the kernel allows it (AT_HWCAP2), else by system calls. A claim has a name: a mapping
// that /proc/self/maps shows as memfd:freehold-gs:ENGINE, so that a second engine finds it though it may have a copy of this
// library of its own.
#include "globals.h"

#if FH_GLOBALS_HAS_GS
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FSGSBASE 2 // of AT_HWCAP2
// arch_prctl's: musl comes without the kernel's header.
#define SET_GS 0x1001
#define GET_GS 0x1004
#define CLAIM "freehold-gs:"

static bool Instructions;
static void *Claim;
static const fh_globals_t *Holder;

uintptr_t fhi_gs_read(void) {
  uintptr_t base = 0;
  if (FHI_LIKELY(Instructions))
    __asm__ volatile("rdgsbase %0" : "=r"(base));
  else if (syscall(SYS_arch_prctl, GET_GS, &base) != 0)
    return FHI_GS_UNKNOWN;
  return base;
}

bool fhi_gs_write(uintptr_t base) {
  if (FHI_LIKELY(Instructions))
    __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
  else
    syscall(SYS_arch_prctl, SET_GS, base);
  return fhi_gs_read() == base; // a kernel may pretend, and a filter may have come since the claim
}

bool fhi_gs_would_be_inherited(void) {
  // Relaxed: a thread that has a base has seen the claim.
  if (!__atomic_load_n(&Holder, __ATOMIC_RELAXED))
    return false;
  uintptr_t base = fhi_gs_read();
  return base != 0 && (base == (uintptr_t)fhi_gs_written || fhi_block_is_ours(base));
}

void fhi_gs_leave_behind(void) {
  const fh_globals_t *holder = __atomic_load_n(&Holder, __ATOMIC_RELAXED);
  if (!fhi_gs_write(0) && holder)
    fhi_gs_denied(holder);
}

static int refuse(const fh_globals_t *engine, const char *why, const char *who) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "globals of ");
  fhi_line_text(&line, engine->name);
  fhi_line_text(&line, why);
  fhi_line_text(&line, who);
  fhi_line_text(&line, ": use the build with mode cached instead");
  fhi_line_write(&line);
  return FH_GLOBALS_EGS;
}

enum { SAID_DENIED = 1, SAID_DISPLACED = 2, SAID_FOREIGN = 4 };
static unsigned Said; // since the claim: a program may try in each of its threads

static int refuse_once(const fh_globals_t *engine, unsigned what, const char *why, const char *who) {
  if (__atomic_fetch_or(&Said, what, __ATOMIC_RELAXED) & what)
    return FH_GLOBALS_EGS;
  return refuse(engine, why, who);
}

int fhi_gs_denied(const fh_globals_t *engine) {
  return refuse_once(engine, SAID_DENIED, ": %gs can no longer be set and read back ", "in this process");
}

int fhi_gs_displaced(const fh_globals_t *engine) {
  if (fhi_gs_read() == FHI_GS_UNKNOWN)
    return fhi_gs_denied(engine);
  return refuse_once(engine, SAID_DISPLACED, ": something else has set %gs ", "in a thread that uses it");
}

// Is it one that nobody needs any more: inherited from a thread of ours, or left by an engine that was shut down, maybe one with
// a copy of this library that is gone? A sign of that in the block's header, which must be readable at all: the kernel copies a
// signal set from there before it finds that it was not told what to do with it.
static bool is_left(uintptr_t base) {
  if (base == 0 || fhi_block_is_ours(base))
    return true;
  const fh_globals_block_t *block = (const fh_globals_block_t *)base;
  if (base % FH_GLOBALS_ALIGNMENT != 0 || syscall(SYS_rt_sigprocmask, -1, &block->magic, NULL, 8) == 0 || errno != EINVAL)
    return false;
  return block->magic == FH_GLOBALS_MAGIC || block->magic == FHI_IDLE_MAGIC;
}

int fhi_gs_vacant(const fh_globals_t *engine) {
  uintptr_t base = fhi_gs_read();
  if (base == FHI_GS_UNKNOWN)
    return fhi_gs_denied(engine);
  return is_left(base) ? 0 : refuse_once(engine, SAID_FOREIGN, ": %gs is in use by ", "something that is not Freehold's");
}

// Finds a claim of this process; its name in who. false: there is none.
static bool find_claim(char *who, size_t size) {
  char text[4096 + 1];
  size_t kept = 0;
  bool found = false;
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  for (ssize_t got; !found && (got = read(fd, text + kept, sizeof text - 1 - kept)) > 0;) {
    size_t length = kept + (size_t)got;
    text[length] = '\0';
    char *at = strstr(text, "/memfd:" CLAIM), *end = at ? strchr(at, '\n') : NULL;
    if (end) {
      at += sizeof "/memfd:" CLAIM - 1;
      size_t n = strcspn(at, " \n");
      n = n < size ? n : size - 1;
      memcpy(who, at, n);
      who[n] = '\0';
      found = true;
    }
    // A line may be cut: the rest of the text after the last whole one is looked at again.
    char *last = strrchr(text, '\n');
    kept = last ? length - (size_t)(last + 1 - text) : 0;
    memmove(text, text + length - kept, kept);
  }
  close(fd);
  return found;
}

static void make_claim(const fh_globals_t *engine) {
  char name[64] = CLAIM;
  strncat(name, engine->name, sizeof name - sizeof CLAIM);
  int fd = (int)syscall(SYS_memfd_create, name, 1 /* MFD_CLOEXEC */);
  if (fd < 0)
    return; // without /proc or memfd a claim has no name: reading back remains
  void *claim = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, fd, 0);
  close(fd);
  Claim = claim == MAP_FAILED ? NULL : claim;
}

int fhi_gs_claim(const fh_globals_t *engine) {
  char who[64];
  if (Holder == engine)
    return 0;
  if (Holder)
    return refuse(engine, ": %gs is in use by the globals of ", Holder->name);
  if (find_claim(who, sizeof who))
    return refuse(engine, ": %gs is in use by the globals of ", who);
  Instructions = getauxval(AT_HWCAP2) & FSGSBASE;
  uintptr_t before = fhi_gs_read(), probe = (uintptr_t)&Holder;
  __atomic_store_n(&Said, 0, __ATOMIC_RELAXED);
  if (!is_left(before))
    return refuse(engine, ": %gs is in use by ", "something that is not Freehold's");
  bool kept = fhi_gs_write(probe);
  if (!fhi_gs_write(0) || !kept)
    return refuse(engine, ": %gs cannot be set ", "on this machine");
  make_claim(engine);
  __atomic_store_n(&Holder, engine, __ATOMIC_RELAXED);
  return 0;
}

void fhi_gs_release(void) {
  if (Claim)
    munmap(Claim, 4096);
  Claim = NULL;
  __atomic_store_n(&Holder, NULL, __ATOMIC_RELAXED);
}
#endif
