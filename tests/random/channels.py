# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# channels.py - ways of an address through libc or the kernel, whole and never printed as a number: a setter and a getter each, or
# one call that gives back what it was given. Every setter may refuse (0); every getter gives null or the last address that was
# set.
# {N} is the channel's number, so that a program can have several of a sort with blocks of different kinds.
import collections

# state: declarations at file level. start: statements of main, before any thread.
Channel = collections.namedtuple("Channel", "state start set get")

# An address of user space fills six bytes. As a text it must have no zero byte among them; comparing with constants exposes
# nothing.
HELPERS = """
#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
union word { void *p; uint64_t n; char text[8]; unsigned short shorts[4]; double d; };
#define ZERO(N, I) (((N) & UINT64_C(0xff) << 8 * (I)) == 0)
static inline int is_text(uint64_t n) {
  return n && !(ZERO(n, 0) || ZERO(n, 1) || ZERO(n, 2) || ZERO(n, 3) || ZERO(n, 4) || ZERO(n, 5));
}
static inline int file_made(void) { int fd = memfd_create("channel", 0); sure(fd >= 0); return fd; }
"""

# Shared by all threads.
SHARED = {
    "offset": Channel("int fd{N};", "fd{N} = file_made();", "return lseek(fd{N}, (off_t)w.n, SEEK_SET) >= 0;",
                      "w.n = (uint64_t)lseek(fd{N}, 0, SEEK_CUR);"),
    "size": Channel("int fd{N};", "fd{N} = file_made();", "return ftruncate(fd{N}, (off_t)w.n) == 0;",
                    "struct stat s; sure(fstat(fd{N}, &s) == 0); w.n = (uint64_t)s.st_size;"),
    "stream": Channel("FILE *file{N};", "file{N} = fdopen(file_made(), \"r+\"); sure(file{N} != NULL);",
                      "return fseeko(file{N}, (off_t)w.n, SEEK_SET) == 0;", "off_t o = ftello(file{N}); w.n = o < 0 ? 0 : (uint64_t)o;"),
    "bytes": Channel("int fd{N};", "fd{N} = file_made();", "return pwrite(fd{N}, &w, sizeof w, 0) == sizeof w;",
                     "if (pread(fd{N}, &w, sizeof w, 0) != sizeof w) w.n = 0;"),
    "seconds": Channel("int fd{N};", "fd{N} = file_made(); { struct timespec t[2] = {{0, 0}, {0, 0}}; sure(futimens(fd{N}, t) == 0); }",
                       "struct timespec t[2] = {{0, 0}, {0, 0}}; t[0].tv_sec = (time_t)w.n; if (futimens(fd{N}, t)) return 0; "
                       "struct stat s; sure(fstat(fd{N}, &s) == 0); return 1;",
                       "struct stat s; sure(fstat(fd{N}, &s) == 0); w.n = (uint64_t)s.st_atim.tv_sec;"),
    "stack": Channel("pthread_attr_t attr{N};", "pthread_attr_init(&attr{N}); pthread_attr_setstacksize(&attr{N}, 1 << 20);",
                     "return pthread_attr_setstacksize(&attr{N}, w.n ? w.n : 1 << 20) == 0;",
                     "size_t s; pthread_attr_getstacksize(&attr{N}, &s); w.n = s == 1 << 20 ? 0 : s;"),
    "guard": Channel("pthread_attr_t attr{N};", "pthread_attr_init(&attr{N}); pthread_attr_setguardsize(&attr{N}, 0);",
                     "return pthread_attr_setguardsize(&attr{N}, w.n) == 0;", "size_t s; pthread_attr_getguardsize(&attr{N}, &s); w.n = s;"),
    "variable": Channel("", "", "return is_text(w.n) && setenv(\"CHANNEL{N}\", w.text, 1) == 0;",
                        "char *s = getenv(\"CHANNEL{N}\"); if (s) memcpy(w.text, s, 6);"),
    "written": Channel("char line{N}[16];", "", "return is_text(w.n) && snprintf(line{N}, sizeof line{N}, \"%s\", w.text) == 6;",
                       "memcpy(w.text, line{N}, 6);"),
}
# Of the process, so once in a program.
ONCE = {
    "limit": Channel("", "{ struct rlimit l; sure(getrlimit(RLIMIT_RSS, &l) == 0); l.rlim_cur = 0; sure(setrlimit(RLIMIT_RSS, &l) == 0); }",
                     "struct rlimit l; sure(getrlimit(RLIMIT_RSS, &l) == 0); l.rlim_cur = w.n; return setrlimit(RLIMIT_RSS, &l) == 0;",
                     "struct rlimit l; sure(getrlimit(RLIMIT_RSS, &l) == 0); w.n = l.rlim_cur;"),
    "domain": Channel("int set{N};", "", "if (!is_text(w.n)) return 0; set{N} = 1; return textdomain(w.text) != NULL;",
                      "if (set{N}) memcpy(w.text, textdomain(NULL), 6);"),
    "random": Channel("", "{ unsigned short z[3] = {0}; seed48(z); }", "seed48(w.shorts); return 1;",
                      "unsigned short z[3] = {0}; memcpy(w.text, seed48(z), 6); seed48(w.shorts);"),
    "name": Channel("pthread_t first{N}; int set{N};", "first{N} = pthread_self();",
                    "if (!is_text(w.n) || pthread_setname_np(first{N}, w.text)) return 0; set{N} = 1; return 1;",
                    "char s[16]; if (set{N}) { sure(pthread_getname_np(first{N}, s, sizeof s) == 0); memcpy(w.text, s, 6); }"),
}
# One call that gives back what it gets: nothing leaves the thread.
THROUGH = {
    "calendar": "struct tm t; time_t s = (time_t)w.n; if (gmtime_r(&s, &t)) w.n = (uint64_t)timegm(&t);",
    "difference": "w.n = (uint64_t)difftime((time_t)w.n, 0);",
    "formatted": "char s[16]; struct tm t = {0}; if (is_text(w.n) && !strchr(w.text, '%') && strftime(s, sizeof s, w.text, &t) == 6) "
                 "memcpy(w.text, s, 6);",
    "printed": "char s[16]; if (is_text(w.n) && snprintf(s, sizeof s, \"%.*s\", 6, w.text) == 6) memcpy(w.text, s, 6);",
    "duplicate": "if (is_text(w.n)) { char *s = strdup(w.text); sure(s != NULL); memcpy(w.text, s, 6); free(s); }",
    "magnitude": "w.d = fabs(w.d); w.d = copysign(w.d, 1.0);",
}


def choose(r, kinds):
    """Channels of a program: (number, sort, kind)."""
    sorts = r.sample(sorted(SHARED), r.randint(1, 3)) + r.sample(sorted(ONCE), r.randint(0, 2))
    return [(n, sort, r.randrange(kinds)) for n, sort in enumerate(sorts)]


def sort_of(sort):
    return SHARED.get(sort) or ONCE[sort]


def state(chosen):
    """Declarations without initialisers, one a line."""
    return [d.strip() + ";" for n, sort, _ in chosen for d in sort_of(sort).state.replace("{N}", str(n)).split(";") if d.strip()]


def start(chosen):
    return ["  " + sort_of(sort).start.replace("{N}", str(n)) for n, sort, _ in chosen if sort_of(sort).start]


def functions(r, chosen):
    out = []
    for n, sort, _ in chosen:
        c = sort_of(sort)
        out.append(f"static int set{n}_(void *p) {{ union word w = {{p}}; {c.set} }}".replace("{N}", str(n)))
        out.append(f"static void *get{n}_(void) {{ union word w = {{NULL}}; {c.get} return w.p; }}".replace("{N}", str(n)))
    for side in ("", "_secret"):
        sort = r.choice(sorted(THROUGH))
        out.append(f"static void *through{side}(void *p) {{ union word w = {{p}}; {THROUGH[sort]} return w.p; }} // {sort}")
    return out
