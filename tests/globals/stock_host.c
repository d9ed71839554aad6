// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stock_host.c EXTENSION - a TSRM engine in each mode loads an extension that was not compiled for it.
#include "freehold/tsrm.h"

#include "tsrm_types.h"

#include "threads.h"

#include <dlfcn.h>

FH_TSRM_DEFINE();
ts_rsrc_id executor_globals_id;
size_t executor_globals_offset;
#define EG(v) TSRMG_FAST_STATIC(executor_globals_offset, struct executor_globals *, v)

static long (*Call)(void);

static void *run(void *unused) {
  CHECK(ts_resource(0) != NULL);
  for (long i = 1; i <= 1000; ++i) {
    CHECK(Call() == 200 + 2 * i);
    CHECK(EG(depth) == i);
  }
  // What a compiled-in offset from the thread pointer finds.
  size_t offset = tsrm_get_ls_cache_tcb_offset();
#ifdef __x86_64__
  char *thread_pointer;
  __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
  CHECK(offset == 0 || *(void **)(thread_pointer + (ptrdiff_t)offset) == tsrm_get_ls_cache());
#endif
  (void)offset;
  return unused;
}

int main(int argc, char **argv) {
  CHECK(argc == 2 && tsrm_startup(1, 1, 0, NULL));
  CHECK(ts_resource(0) != NULL);
  CHECK(ts_allocate_fast_id(&executor_globals_id, &executor_globals_offset, sizeof(struct executor_globals), NULL, NULL) == 1);
  void *extension = dlopen(argv[1], RTLD_NOW);
  if (!extension)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(extension && ((int (*)(void))dlsym(extension, "stock_load"))());
  Call = (long (*)(void))dlsym(extension, "stock_call");
  in_threads(4, run);
  run(NULL);
  ((void (*)(void))dlsym(extension, "stock_unload"))();
  dlclose(extension);
  tsrm_shutdown();
  return 0;
}
