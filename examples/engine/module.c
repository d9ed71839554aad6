/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * module.c - the loaded modules: a table that grows while threads read it.
 */
#include "module.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_MODULES = 16 };

extern const module tally_module;
static const module *const linked[] = {&tally_module};

static struct {
  const module *module;
  void *library; /* NULL: linked with the engine */
} loaded[MOST_MODULES];
static atomic_uint loaded_count; /* the entries below it are complete: released by module_load, acquired by readers */

static const module *find(const char *name, void **library) {
  *library = NULL;
  for (size_t i = 0; i < sizeof linked / sizeof *linked; i++)
    if (!strcmp(linked[i]->name, name))
      return linked[i];
  *library = strchr(name, '/') ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!*library) {
    fprintf(stderr, "engine: no module %s: %s\n", name, strchr(name, '/') ? dlerror() : "a file's name has a / in it");
    return NULL;
  }
  const module *found = dlsym(*library, "engine_module");
  if (found && found->mode == ENGINE_MODE)
    return found;
  fprintf(stderr, "engine: %s is no module %s\n", name, found ? "for an engine of this mode" : "of this engine");
  dlclose(*library);
  return NULL;
}

bool module_load(const char *name_or_file) {
  unsigned count = atomic_load_explicit(&loaded_count, memory_order_relaxed);
  void *library;
  if (count == MOST_MODULES) {
    fprintf(stderr, "engine: more than %d modules\n", MOST_MODULES);
    return false;
  }
  const module *m = find(name_or_file, &library);
  if (!m)
    return false;
  if (!m->startup()) {
    fprintf(stderr, "engine: module %s could not be started\n", m->name);
    if (library)
      dlclose(library);
    return false;
  }
  loaded[count].module = m;
  loaded[count].library = library;
  atomic_store_explicit(&loaded_count, count + 1, memory_order_release);
  return true;
}

void modules_request_begin(ENGINE_D) {
  unsigned count = atomic_load_explicit(&loaded_count, memory_order_acquire);
  for (unsigned i = 0; i < count; i++) {
    const module *m = loaded[i].module;
    vm_declare(m->functions ENGINE_CC);
    if (m->request_begin)
      m->request_begin(ENGINE_C);
  }
}

void modules_unload(void) {
  unsigned count = atomic_exchange_explicit(&loaded_count, 0, memory_order_acq_rel);
  while (count--)
    if (loaded[count].library)
      dlclose(loaded[count].library);
}
