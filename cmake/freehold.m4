# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# freehold.m4 - what configure needs to know before it builds code with thread-safe globals: thread-local storage and its models, what
# a dlopen'ed library may have of them, and a free segment register.
#
# FREEHOLD_CHECK_TLS
#   freehold_cv_tls             the word for thread-local storage (__thread, _Thread_local), or no
#   freehold_cv_tls_MODEL       yes or no; MODEL: local_exec, initial_exec, local_dynamic, global_dynamic
#   freehold_cv_tlsdesc         the compiler's switch for TLS descriptors, none if they are its default, or no
#   freehold_cv_tls_dlopen      may a library that is dlopen'ed here have an initial-exec variable: yes, no, unknown (cross compiling)
#   defines FREEHOLD_TLS as the word, and HAVE_TLS_MODEL_MODEL
#
# FREEHOLD_CHECK_GS
#   freehold_cv_gs              is %gs there and free: yes, no, unknown
#   freehold_cv_fsgsbase        may programs set its base by an instruction (else a system call does): yes, no, unknown
#
# FREEHOLD_GLOBALS([auto], [executable | library])
#   adds --with-freehold-globals=MODE, where the first argument is the default: static, gs, cached, pointer, passed, classic, auto. Both
#   checks above are made. For code of an executable, or of a library that is dlopen'ed, it sets and substitutes
#   FREEHOLD_GLOBALS_MODE      the mode that is taken, which is the one that was asked for or its fall-back: a line tells why
#   FREEHOLD_GLOBALS_CFLAGS, FREEHOLD_GLOBALS_LIBS
#                              an executable has the archive in itself, which the shared library of that name does not replace, and shows its
#                              symbols (-rdynamic) to the modules that it opens

AC_DEFUN([_FREEHOLD_TLS_SOURCE], [AC_LANG_SOURCE([[
#ifdef _WIN32
#error "thread-local variables cannot be exported"
#endif
extern $freehold_cv_tls int other __attribute__((tls_model("$1")));
$freehold_cv_tls int own __attribute__((tls_model("$1")));
int get(void) { return own + other; }
]])])

AC_DEFUN([_FREEHOLD_CHECK_TLS_MODEL], [
  AC_CACHE_CHECK([for the $1 model of thread-local storage], [freehold_cv_tls_$2], [
    freehold_cv_tls_$2=no
    AS_IF([test "$freehold_cv_tls" != no], [
      freehold_saved_flags=$ac_[]_AC_LANG_ABBREV[]_werror_flag
      ac_[]_AC_LANG_ABBREV[]_werror_flag=yes
      AC_COMPILE_IFELSE([_FREEHOLD_TLS_SOURCE([$1])], [freehold_cv_tls_$2=yes])
      ac_[]_AC_LANG_ABBREV[]_werror_flag=$freehold_saved_flags])])
  AS_IF([test "$freehold_cv_tls_$2" = yes],
    [AC_DEFINE([HAVE_TLS_MODEL_]m4_toupper([$2]), [1], [Define to 1 if the compiler has the $1 model of thread-local storage.])])])

AC_DEFUN([FREEHOLD_CHECK_TLS], [
  AC_CACHE_CHECK([for thread-local storage], [freehold_cv_tls], [
    freehold_cv_tls=no
    for freehold_word in __thread _Thread_local; do
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[static $freehold_word int own;]], [[own = 1; return own - 1;]])],
        [freehold_cv_tls=$freehold_word; break])
    done])
  AS_IF([test "$freehold_cv_tls" != no],
    [AC_DEFINE_UNQUOTED([FREEHOLD_TLS], [$freehold_cv_tls], [Define to the word for thread-local storage, if there is one.])])
  _FREEHOLD_CHECK_TLS_MODEL([local-exec], [local_exec])
  _FREEHOLD_CHECK_TLS_MODEL([initial-exec], [initial_exec])
  _FREEHOLD_CHECK_TLS_MODEL([local-dynamic], [local_dynamic])
  _FREEHOLD_CHECK_TLS_MODEL([global-dynamic], [global_dynamic])
  AC_CACHE_CHECK([for TLS descriptors], [freehold_cv_tlsdesc], [
    freehold_cv_tlsdesc=no
    freehold_saved_flags=$CFLAGS
    for freehold_switch in none -mtls-dialect=gnu2 -mtls-dialect=desc; do
      CFLAGS="$freehold_saved_flags -fPIC"
      AS_IF([test "$freehold_switch" != none], [CFLAGS="$CFLAGS $freehold_switch"])
      AS_IF([test "$freehold_cv_tls" != no],
        [AC_COMPILE_IFELSE([_FREEHOLD_TLS_SOURCE([global-dynamic])],
          [AS_IF([${READELF-readelf} -r conftest.$ac_objext 2>/dev/null | grep DESC >/dev/null],
            [freehold_cv_tlsdesc=$freehold_switch; break])])])
    done
    CFLAGS=$freehold_saved_flags])
  AC_CACHE_CHECK([whether a library that is dlopen'ed may have initial-exec variables], [freehold_cv_tls_dlopen], [
    freehold_cv_tls_dlopen=no
    AS_IF([test "$freehold_cv_tls_initial_exec" != yes], [], [test "$cross_compiling" = yes], [freehold_cv_tls_dlopen=unknown], [
      cat >conftest_library.c <<FREEHOLD_EOF
$freehold_cv_tls char freehold_own@<:@8@:>@ __attribute__((tls_model("initial-exec")));
char *freehold_get(void) { return freehold_own; }
FREEHOLD_EOF
      freehold_saved_libs=$LIBS
      LIBS="$LIBS -ldl"
      AS_IF([$CC $CFLAGS $LDFLAGS -fPIC -shared conftest_library.c -o conftest_library.so >&AS_MESSAGE_LOG_FD 2>&1], [
        AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <dlfcn.h>
#include <stdio.h>]], [[if (dlopen("./conftest_library.so", RTLD_NOW)) return 0; fprintf(stderr, "%s\n", dlerror()); return 1;]])],
          [freehold_cv_tls_dlopen=yes])])
      LIBS=$freehold_saved_libs
      rm -f conftest_library.c conftest_library.so])])])

AC_DEFUN([FREEHOLD_CHECK_GS], [
  AC_CACHE_CHECK([whether %gs is free], [freehold_cv_gs], [
    AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#if !defined(__x86_64__) || defined(__ILP32__) || !defined(__linux__)
#error "no"
#endif
#include <sys/syscall.h>
#include <unistd.h>]], [[
      unsigned long base = 1, probe = (unsigned long)&base, back = 0; /* ARCH_GET_GS, ARCH_SET_GS: a kernel may pretend */
      if (syscall(SYS_arch_prctl, 0x1004, &base) || base) return 1;
      if (syscall(SYS_arch_prctl, 0x1001, probe) || syscall(SYS_arch_prctl, 0x1004, &back)) return 1;
      return back != probe;]])],
      [freehold_cv_gs=yes], [freehold_cv_gs=no], [freehold_cv_gs=unknown])])
  AC_CACHE_CHECK([whether programs may set its base], [freehold_cv_fsgsbase], [
    AS_IF([test "$freehold_cv_gs" = no], [freehold_cv_fsgsbase=no],
      [AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <sys/auxv.h>]], [[return !(getauxval(26 /* AT_HWCAP2 */) & 2);]])],
        [freehold_cv_fsgsbase=yes], [freehold_cv_fsgsbase=no], [freehold_cv_fsgsbase=unknown])])])])

AC_DEFUN([FREEHOLD_GLOBALS], [
  AC_REQUIRE([AC_PROG_CC])
  AC_REQUIRE([FREEHOLD_CHECK_TLS])
  AC_REQUIRE([FREEHOLD_CHECK_GS])
  AC_ARG_WITH([freehold-globals], [AS_HELP_STRING([--with-freehold-globals=MODE],
    [how globals are reached: static, gs, cached, pointer, passed, classic, auto])],
    [], [with_freehold_globals=]m4_default([$1], [auto]))
  AC_MSG_CHECKING([for the mode of globals])
  FREEHOLD_GLOBALS_MODE=$with_freehold_globals freehold_why=
  m4_if(m4_default([$2], [executable]), [library], [
    freehold_flags=' -DFREEHOLD_GLOBALS_DSO=1 -fPIC'
    AS_IF([test "$FREEHOLD_GLOBALS_MODE" = auto], [FREEHOLD_GLOBALS_MODE=gs])
    AS_IF([test "$freehold_cv_tls_dlopen" = no], [AS_CASE([$FREEHOLD_GLOBALS_MODE],
      [static], [FREEHOLD_GLOBALS_MODE=gs
        freehold_why="cannot allocate memory in static TLS block: a dlopen'ed library can have no initial-exec variable here"])])],
    [freehold_flags=
    AS_IF([test "$FREEHOLD_GLOBALS_MODE" = auto], [FREEHOLD_GLOBALS_MODE=static])])
  AS_IF([test "$FREEHOLD_GLOBALS_MODE" = gs && test "$freehold_cv_gs" = no],
    [AS_IF([test -z "$freehold_why"], [freehold_why="%gs is not free here"], [freehold_why="$freehold_why, and %gs is not free"])
    FREEHOLD_GLOBALS_MODE=cached])
  AS_IF([test "$freehold_cv_tls" = no], [AS_CASE([$FREEHOLD_GLOBALS_MODE],
    [static|cached|pointer], [freehold_why="there is no thread-local storage" FREEHOLD_GLOBALS_MODE=passed])])
  m4_if(m4_default([$2], [executable]), [library],
    [AS_IF([test "$freehold_cv_tls_dlopen" = no], [AS_CASE([$FREEHOLD_GLOBALS_MODE],
      [cached|pointer], [freehold_flags="$freehold_flags -DFREEHOLD_GLOBALS_DYNAMIC=1"
        freehold_why="${freehold_why:-cannot allocate memory in static TLS block: a dlopen'ed library can have no initial-exec variable here}"])])])
  AS_CASE([$FREEHOLD_GLOBALS_MODE], [static|gs|cached|pointer|passed|classic], [],
    [AC_MSG_RESULT([$FREEHOLD_GLOBALS_MODE])
    AC_MSG_ERROR([--with-freehold-globals=$FREEHOLD_GLOBALS_MODE: the modes are static, gs, cached, pointer, passed, classic, auto])])
  AC_MSG_RESULT([$FREEHOLD_GLOBALS_MODE])
  AS_IF([test -n "$freehold_why"], [AC_MSG_WARN([globals: $freehold_why; taken: $FREEHOLD_GLOBALS_MODE$freehold_flags])])
  AS_IF([test "$FREEHOLD_GLOBALS_MODE" = gs],
    [AC_MSG_NOTICE([globals: mode gs: each thread must register before its first access, for one that does not may use another thread's])])
  FREEHOLD_GLOBALS_CFLAGS="-DFREEHOLD_GLOBALS_`AS_ECHO([$FREEHOLD_GLOBALS_MODE]) | tr a-z A-Z`=1$freehold_flags"
  m4_if(m4_default([$2], [executable]), [library],
    [FREEHOLD_GLOBALS_LIBS="-lfreehold-tsrm-$FREEHOLD_GLOBALS_MODE -pthread"],
    [FREEHOLD_GLOBALS_LIBS="-l:libfreehold-tsrm-$FREEHOLD_GLOBALS_MODE.a -pthread -rdynamic"])
  AC_SUBST([FREEHOLD_GLOBALS_MODE])
  AC_SUBST([FREEHOLD_GLOBALS_CFLAGS])
  AC_SUBST([FREEHOLD_GLOBALS_LIBS])])
