// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// embed - opens a libphp.so by dlopen, as Apache opens its module, and runs one script in it: embed LIBPHP.SO SCRIPT
// [ARGUMENT...]. Compiled against the headers of the build whose library it opens; `check` counts its instructions.
#include <dlfcn.h>
#include <stdio.h>

#include "php.h"
#include "sapi/embed/php_embed.h"

static void *need(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "embed: %s\n", dlerror());
    _exit(3);
  }
  return found;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: embed LIBPHP.SO SCRIPT [ARGUMENT...]\n");
    return 2;
  }
  // What PHP's own macros would refer to is in a library that the linker has not seen: all of it is asked for by name.
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "embed: %s\n", dlerror());
    return 3;
  }
  int (*start)(int, char **) = (int (*)(int, char **))need(library, "php_embed_init");
  void (*stop)(void) = (void (*)(void))need(library, "php_embed_shutdown");
  void (*name_file)(zend_file_handle *, const char *) =
      (void (*)(zend_file_handle *, const char *))need(library, "zend_stream_init_filename");
  zend_result (*execute)(int, zval *, int, ...) = (zend_result(*)(int, zval *, int, ...))need(library, "zend_execute_scripts");

  if (start(argc - 2, argv + 2) == FAILURE) {
    fprintf(stderr, "embed: PHP does not start\n");
    return 1;
  }
  zend_file_handle file;
  name_file(&file, argv[2]);
  int good = execute(ZEND_REQUIRE, NULL, 1, &file) == SUCCESS;
  stop();
  return !good;
}
