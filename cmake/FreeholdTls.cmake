# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# freehold_check_tls() - what a project needs to know before it builds code with thread-safe globals. It tries with the C
# compiler, once a build folder, and sets in the caller's scope
#   FREEHOLD_TLS                  the word for thread-local storage: __thread, _Thread_local; empty: there is none
#   FREEHOLD_TLS_LOCAL_EXEC, FREEHOLD_TLS_INITIAL_EXEC, FREEHOLD_TLS_LOCAL_DYNAMIC, FREEHOLD_TLS_GLOBAL_DYNAMIC
#                                 the compiler has the model
#   FREEHOLD_TLSDESC              the compiler's switch for TLS descriptors, or empty
#   FREEHOLD_TLS_DLOPEN           may a library that is dlopen'ed here have an initial-exec variable
#   FREEHOLD_GS_FREE, FREEHOLD_FSGSBASE
#                                 %gs is there and free; programs may set its base by an instruction
#   FREEHOLD_GLOBALS_EXECUTABLE, FREEHOLD_GLOBALS_LIBRARY
#                                 the mode to choose for an executable, and for a library that is dlopen'ed
# Nothing is run when cross compiling: what would have to be is OFF then.
include(CheckCSourceCompiles)
include(CheckCCompilerFlag)

function(_freehold_run VARIABLE SOURCE)
  if(DEFINED ${VARIABLE})
    return()
  endif()
  set(file ${CMAKE_BINARY_DIR}/CMakeFiles/freehold-${VARIABLE}.c)
  file(WRITE ${file} "${SOURCE}")
  set(result 1)
  if(NOT CMAKE_CROSSCOMPILING)
    try_run(result compiled ${CMAKE_BINARY_DIR}/CMakeFiles ${file} LINK_LIBRARIES ${CMAKE_DL_LIBS})
    if(NOT compiled)
      set(result 1)
    endif()
  endif()
  if(result EQUAL 0)
    set(${VARIABLE} ON CACHE INTERNAL "")
  else()
    set(${VARIABLE} OFF CACHE INTERNAL "")
  endif()
  message(STATUS "${VARIABLE}: ${${VARIABLE}}")
endfunction()

function(freehold_check_tls)
  foreach(word __thread _Thread_local)
    check_c_source_compiles("static ${word} int own; int main(void) { own = 1; return own - 1; }" FREEHOLD_TLS_WORD_${word})
    if(FREEHOLD_TLS_WORD_${word})
      set(tls ${word})
      break()
    endif()
  endforeach()
  if(NOT tls) # nothing to try then
    set(FREEHOLD_TLS_DLOPEN OFF CACHE INTERNAL "")
  endif()
  foreach(model local-exec initial-exec local-dynamic global-dynamic)
    string(TOUPPER FREEHOLD_TLS_${model} variable)
    string(REPLACE "-" "_" variable ${variable})
    if(NOT tls)
      set(${variable} OFF CACHE INTERNAL "")
    endif()
    check_c_source_compiles("static ${tls} int own __attribute__((tls_model(\"${model}\")));
      int main(void) { own = 1; return own - 1; }" ${variable} FAIL_REGEX "[Ww]arning")
  endforeach()
  foreach(switch gnu2 desc)
    check_c_compiler_flag(-mtls-dialect=${switch} FREEHOLD_TLS_DIALECT_${switch})
    if(FREEHOLD_TLS_DIALECT_${switch} AND NOT tlsdesc)
      set(tlsdesc -mtls-dialect=${switch})
    endif()
  endforeach()
  if(NOT DEFINED FREEHOLD_TLS_DLOPEN)
    set(library ${CMAKE_BINARY_DIR}/CMakeFiles/freehold-tls-library)
    file(WRITE ${library}.c "${tls} char own[8] __attribute__((tls_model(\"initial-exec\"))); char *get(void) { return own; }\n")
    separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
    execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -fPIC -shared ${library}.c -o ${library}.so OUTPUT_QUIET ERROR_QUIET)
  endif()
  _freehold_run(FREEHOLD_TLS_DLOPEN "#include <dlfcn.h>\nint main(void) { return !dlopen(\"${library}.so\", RTLD_NOW); }\n")
  _freehold_run(FREEHOLD_GS_FREE "#if !defined(__x86_64__) || defined(__ILP32__) || !defined(__linux__)
#error \"no\"
#endif
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { /* ARCH_GET_GS, ARCH_SET_GS: a kernel may pretend */
  unsigned long base = 1, probe = (unsigned long)&base, back = 0;
  if (syscall(SYS_arch_prctl, 0x1004, &base) || base) return 1;
  if (syscall(SYS_arch_prctl, 0x1001, probe) || syscall(SYS_arch_prctl, 0x1004, &back)) return 1;
  return back != probe;
}\n")
  _freehold_run(FREEHOLD_FSGSBASE "#if !defined(__x86_64__)
#error \"no\"
#endif
#include <sys/auxv.h>
int main(void) { return !(getauxval(26 /* AT_HWCAP2 */) & 2); }\n")
  set(FREEHOLD_TLS "${tls}" PARENT_SCOPE)
  set(FREEHOLD_TLSDESC "${tlsdesc}" PARENT_SCOPE)
  set(executable static)
  set(library cached)
  if(NOT tls)
    set(executable passed)
  endif()
  set(how)
  if(FREEHOLD_GS_FREE)
    set(library gs)
  elseif(NOT tls)
    set(library passed)
  elseif(NOT FREEHOLD_TLS_DLOPEN)
    set(how " compiled with -DFREEHOLD_GLOBALS_DYNAMIC=1")
  endif()
  if(tls AND NOT FREEHOLD_TLS_DLOPEN AND NOT CMAKE_CROSSCOMPILING)
    message(STATUS "freehold_check_tls: cannot allocate memory in static TLS block: a dlopen'ed library can have no initial-exec variable "
      "here; taken: ${library}${how}")
  endif()
  if(library STREQUAL gs)
    message(STATUS "freehold_check_tls: mode gs for libraries: each thread must register before its first access, for one that does not may "
      "use another thread's globals")
  endif()
  set(FREEHOLD_GLOBALS_EXECUTABLE ${executable} PARENT_SCOPE)
  set(FREEHOLD_GLOBALS_LIBRARY ${library} PARENT_SCOPE)
endfunction()
