// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// denied.c set|get - %gs is set by system calls, which a filter denies after start, as a sandbox does that a program enters late:
// a thread that cannot have its base is told so, once for all threads, and gets no block; those that have one keep it. Mode gs.
#include "engine.h"

#include "said.h"
#include "threads.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

#define SET_GS 0x1001
#define GET_GS 0x1004
#define LINE                                                                                                                     \
  "freehold: globals of test: %gs can no longer be set and read back in this process: use the build with mode cached instead\n"

unsigned long getauxval(unsigned long type) {
  (void)type;
  return 0; // no instructions for it
}

static int Made, Destroyed;
static int make(void *globals, void *argument) {
  (void)globals, (void)argument;
  return ++Made, 0;
}
static void destroy(void *globals, void *argument) {
  (void)globals, (void)argument;
  ++Destroyed;
}

static void deny(unsigned code) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, code, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    printf("skipped: this kernel has no filters for system calls\n");
    _exit(77);
  }
}

static void *cannot(void *unused) {
  fh_globals_block_t *block = fh_globals_thread_init(ENGINE);
  CHECK(!block && fh_globals_error() == FH_GLOBALS_EGS && fh_globals_self(ENGINE) == NULL);
  CHECK(fh_globals_get(ENGINE, 1) == NULL && fh_globals_error() == FH_GLOBALS_EGS && fh_globals_thread_exit(ENGINE) == 0);
  return unused;
}

// What it has stays, and is not taken for another's.
static void set_denied(void) {
  fh_globals_block_t *own = fh_globals_self(ENGINE), *before = NULL;
  CHECK(own && fh_globals_thread_init(ENGINE) == own && EG(depth) == 7);
  CHECK(fh_globals_switch(ENGINE, NULL, &before) == FH_GLOBALS_EGS && !before && fh_globals_self(ENGINE) == own);
  CHECK(fh_globals_block_new(ENGINE) == NULL && fh_globals_error() == FH_GLOBALS_EGS && fh_globals_self(ENGINE) == own);
  CHECK(EG(depth) == 7 && Made == 1 && Destroyed == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 2 && fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make, destroy) == 1);
  CHECK(fh_globals_thread_init(ENGINE));
  EG(depth) = 7;
  bool set = strcmp(argv[1], "set") == 0;
  deny(set ? SET_GS : GET_GS);
  struct said said;
  said_begin(&said);
  in_threads(4, cannot);
  if (set)
    set_denied();
  else // whether it is there still cannot be told
    CHECK(fh_globals_thread_init(ENGINE) == NULL && fh_globals_error() == FH_GLOBALS_EGS && EG(depth) == 7);
  said_end(&said, LINE);
  CHECK(Made == 1 && Destroyed == 0);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Destroyed == 1);
  return 0;
}
