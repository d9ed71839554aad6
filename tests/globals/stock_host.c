// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stock_host.c EXTENSION FITTED MISFIT... - a TSRM engine in each mode loads an extension that was not compiled for it, and one
// that was; those that were compiled for another layout or mode are refused.
#include "freehold/tsrm.h"

#include "tsrm_types.h"

#include "threads.h"

#include <dlfcn.h>
#include <string.h>

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

static void compiled_for(char **extensions) {
  void *fitted = dlopen(*extensions, RTLD_NOW);
  CHECK(fitted && ((long (*)(void))dlsym(fitted, "fitted_depth"))() == EG(depth));
  while (*++extensions) {
    CHECK(dlopen(*extensions, RTLD_LAZY) == NULL);
    CHECK(strstr(dlerror(), "undefined symbol: fh_layout_of_other_headers_rebuild_"));
  }
}

int main(int argc, char **argv) {
  CHECK(argc > 3 && tsrm_startup(1, 1, 0, NULL));
  CHECK(ts_resource(0) != NULL);
  CHECK(ts_allocate_fast_id(&executor_globals_id, &executor_globals_offset, sizeof(struct executor_globals), NULL, NULL) == 1);
  void *extension = dlopen(argv[1], RTLD_NOW);
  if (!extension)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(extension && ((int (*)(void))dlsym(extension, "stock_load"))());
  Call = (long (*)(void))dlsym(extension, "stock_call");
  in_threads(4, run);
  run(NULL);
  compiled_for(argv + 2);
  ((void (*)(void))dlsym(extension, "stock_unload"))();
  dlclose(extension);
  tsrm_shutdown();
  return 0;
}
