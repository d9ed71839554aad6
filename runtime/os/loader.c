// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// loader.c - who asked for this runtime: what the loaded objects say they need. Loader and libc are asked through
// dl_iterate_phdr alone, which allocates nothing and is the same on glibc and musl.
#include "os.h"

#include <link.h>
#include <string.h>

extern char **environ;

static const char own_name[] = "libfreehold.so";

struct asked {
  bool by_program, by_library, past_program;
};

// glibc writes the address into the tag, musl and the kernel's own object leave the offset.
static const char *text_at(const struct dl_phdr_info *object, ElfW(Addr) value) {
  return (const char *)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

static bool needs_us(const struct dl_phdr_info *object) {
  const ElfW(Dyn) *dynamic = NULL;
  const char *strings = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB)
      strings = text_at(object, d->d_un.d_ptr);
  for (const ElfW(Dyn) *d = dynamic; strings && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && strcmp(strings + d->d_un.d_val, own_name) == 0)
      return true;
  return false;
}

// Is this code part of the object: libfreehold.a in a program?
static bool holds_us(const struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_LOAD &&
        (ElfW(Addr))own_name - object->dlpi_addr - object->dlpi_phdr[i].p_vaddr < object->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *data) {
  struct asked *asked = data;
  (void)size;
  if (needs_us(object) || (!asked->past_program && holds_us(object)))
    *(asked->past_program ? &asked->by_library : &asked->by_program) = true;
  asked->past_program = true; // the program itself comes first
  return 0;
}

static bool is_preloaded(void) {
  static const char name[] = "LD_PRELOAD=";
  for (char **variable = environ; variable && *variable; ++variable)
    if (strncmp(*variable, name, sizeof name - 1) == 0 && strstr(*variable, own_name))
      return true;
  return false;
}

bool fhi_os_only_a_library_asked(void) {
  struct asked asked = {0};
  dl_iterate_phdr(look, &asked);
  return asked.by_library && !asked.by_program && !is_preloaded();
}
