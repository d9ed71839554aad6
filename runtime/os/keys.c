// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keys.c - memory protection keys: each page has one of 16 keys, and each thread a register (PKRU) that says of each key whether
// it may read and write what has it. Found at run time; elsewhere than on x86-64 there are none.
#include "os.h"

#include <errno.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// In a signal's frame: offset of what the kernel says of its layout, of the set of components in it, PKRU's bit there.
enum { FrameLayout = 464, FrameMagic = 0x46505853, FrameComponents = 512, ComponentPkru = 9 };
enum { NoAccess = 1, Rights = 3 }; // of a key in PKRU, two bits a key

static unsigned rights_of(unsigned keys, unsigned value) {
  unsigned all = 0;
  for (unsigned key = 1; key < 16; ++key)
    all |= (keys >> key & 1) * (value << 2 * key);
  return all;
}

unsigned fhi_os_keys_take(void) {
  int saved = errno, key;
  unsigned keys = 0;
  while ((key = (int)syscall(SYS_pkey_alloc, 0, NoAccess)) > 0)
    keys |= 1u << key;
  errno = saved;
  return keys;
}

bool fhi_os_key_set(void *addr, size_t size, unsigned key) {
  int saved = errno;
  bool done = syscall(SYS_pkey_mprotect, addr, size, PROT_READ | PROT_WRITE, key) == 0;
  errno = saved;
  return done;
}

// Read and written as bytes: assemblers need no option for them. The memory clobber keeps accesses on their side.
static uint32_t read_pkru(void) {
  uint32_t value, zero;
  __asm__ volatile(".byte 0x0f, 0x01, 0xee" : "=a"(value), "=d"(zero) : "c"(0) : "memory");
  return value;
}

void fhi_os_keys_restore(uint32_t rights) {
  __asm__ volatile(".byte 0x0f, 0x01, 0xef" : : "a"(rights), "c"(0), "d"(0) : "memory");
}

uint32_t fhi_os_keys_allow(unsigned keys, unsigned allowed) {
  uint32_t before = read_pkru();
  fhi_os_keys_restore((before | rights_of(keys, NoAccess)) & ~rights_of(allowed, Rights));
  return before;
}

bool fhi_os_keys_allow_in(void *context, unsigned allowed) {
  char *frame = (char *)((ucontext_t *)context)->uc_mcontext.fpregs;
  unsigned a, b, c, d;
  uint32_t magic, rights;
  uint64_t components;
  if (!frame || !__get_cpuid_count(0xd, ComponentPkru, &a, &b, &c, &d) || b == 0)
    return false;
  memcpy(&magic, frame + FrameLayout, sizeof magic);
  memcpy(&components, frame + FrameLayout + 8, sizeof components);
  if (magic != FrameMagic || (components >> ComponentPkru & 1) == 0)
    return false;
  memcpy(&components, frame + FrameComponents, sizeof components);
  memcpy(&rights, frame + b, sizeof rights);
  rights &= ~rights_of(allowed, Rights);
  components |= 1u << ComponentPkru;
  memcpy(frame + b, &rights, sizeof rights);
  memcpy(frame + FrameComponents, &components, sizeof components);
  return true;
}

const void *fhi_os_fault_place(const void *context, bool *write) {
  const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
  *write = (machine->gregs[REG_ERR] & 2) != 0;
  return (const void *)(uintptr_t)machine->gregs[REG_RIP];
}
#else
unsigned fhi_os_keys_take(void) { return 0; }

bool fhi_os_key_set(void *addr, size_t size, unsigned key) {
  (void)addr, (void)size, (void)key;
  return false;
}

void fhi_os_keys_restore(uint32_t rights) { (void)rights; }

uint32_t fhi_os_keys_allow(unsigned keys, unsigned allowed) {
  (void)keys, (void)allowed;
  return 0;
}

bool fhi_os_keys_allow_in(void *context, unsigned allowed) {
  (void)context, (void)allowed;
  return false;
}

const void *fhi_os_fault_place(const void *context, bool *write) {
  (void)context;
  *write = false;
  return NULL;
}
#endif
