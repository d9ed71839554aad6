# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""subjects - the real programs of bench/analysis: where each comes from and how its own build makes it.

A recipe runs in a copy of the source, as its authors describe it, with $CC and $CXX standing for freehold-cc and freehold-c++.
Everything of the program that is C or C++ is compiled, so that the link sees it whole; hand-written assembly is switched off."""
import dataclasses, hashlib, os, shlex, shutil, subprocess

from . import build


@dataclasses.dataclass(frozen=True)
class Subject:
    title: str
    sources: tuple  # of bench/fetch; the first is where the recipe runs, the others lie beside it as ../NAME
    recipe: str
    rows: dict      # name of a row: base name of the program's file
    needs: tuple = ()  # commands and headers that a machine may lack: (path, Debian's package)
    cxx: bool = False  # its link is a C++ compiler's
    shown: bool = True  # among those that are measured unless others are named


SUBJECTS = {
    "zlib": Subject("zlib's minigzip", ("zlib-tree",), "./configure --static && make minigzip", {"zlib": "minigzip"}),
    "lua": Subject("Lua's interpreter", ("lua",), 'make -C src generic CC="$CC -std=gnu99" lua', {"lua": "lua"}),
    "zstd": Subject("zstd's command, with threads", ("zstd",),
                    "make -C programs zstd HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 HAVE_THREAD=1 ZSTD_NO_ASM=1 BACKTRACE=0 -j$JOBS", {"zstd": "zstd"}),
    "sqlite": Subject("SQLite's shell, and its thread test", ("sqlite",),
                      "./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.c shell.c && "
                      "$CC -O2 -DSQLITE_THREADSAFE=1 -c sqlite3.c -o sqlite3-threads.o && "
                      "$CC -O2 -I. shell.c sqlite3-threads.o -o sqlite3-shell -lpthread -ldl -lm && "
                      "$CC -O2 -I. -Itest -Isrc test/threadtest3.c src/test_multiplex.c sqlite3-threads.o -o threadtest3 -lpthread -ldl -lm",
                      {"sqlite": "sqlite3-shell", "sqlite-threads": "threadtest3"}, (("/usr/bin/tclsh", "tcl"),)),
    "redis": Subject("redis-server", ("redis",), 'cd src && make redis-server MALLOC=libc CC="$CC" OPTIMIZATION=-O2 -j$JOBS', {"redis": "redis-server"}),
    "pigz": Subject("pigz, with zlib", ("pigz", "zlib-tree"),
                    '(cd ../zlib-tree && ./configure --static && make libz.a) && '
                    'make pigz CC="$CC" CFLAGS="-O3 -I../zlib-tree" LDFLAGS=-L../zlib-tree', {"pigz": "pigz"}),
    "xz": Subject("xz, with liblzma and its threads", ("xz",),
                  "./configure --disable-shared --disable-nls --disable-assembler --disable-scripts --disable-doc && make -j$JOBS", {"xz": "xz"}),
    "memcached": Subject("memcached, libevent as a library", ("memcached",),
                         "./configure --disable-docs --disable-coverage && make memcached -j$JOBS", {"memcached": "memcached"},
                         (("/usr/include/event2/event.h", "libevent-dev"),)),
    "nginx": Subject("nginx, with zlib and threads", ("nginx", "zlib-tree"),
                     '(cd ../zlib-tree && ./configure --static && make libz.a) && '
                     './configure --with-threads --without-http_rewrite_module --with-cc="$CC" --with-cc-opt="-O2 -I../zlib-tree" '
                     '--with-ld-opt=-L../zlib-tree && make -f objs/Makefile binary -j$JOBS', {"nginx": "nginx"}),
    "x264": Subject("x264", ("x264",),
                    "./configure --disable-asm --disable-opencl --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac "
                    "--disable-lsmash && make x264 -j$JOBS", {"x264": "x264"}),
    "leveldb": Subject("leveldb's leveldbutil (C++)", ("leveldb",),
                       "cmake -S . -B b -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=OFF "
                       "-DHAVE_TCMALLOC=OFF -DHAVE_CRC32C=OFF && cmake --build b -j$JOBS --target leveldbutil", {"leveldb": "leveldbutil"}, cxx=True),
    "cppcheck": Subject("cppcheck (C++)", ("cppcheck",), 'make cppcheck CXXFLAGS=-O2 FILESDIR=/usr/share/cppcheck -j$JOBS', {"cppcheck": "cppcheck"}, cxx=True),
    "openssl": Subject("OpenSSL's threads test, with all of libcrypto and libssl", ("openssl",),
                       "./Configure linux-x86_64 no-asm no-shared threads && make build_generated && "
                       "make -j$JOBS libcrypto.a libssl.a && make test/threadstest", {"openssl": "threadstest"}),
    "fig1": Subject("the paper's Figure 1: no download, to try the bench", (),
                    f'$CC -O2 -pthread "{build.ROOT}/examples/fig1.c" -o fig1', {"fig1": "fig1"}, shown=False),
}
ROWS = {row: name for name, subject in SUBJECTS.items() for row in subject.rows}

# What decides which summaries a compile step writes: when these change, the programs are built anew.
WRITERS = ("analysis/summary", "transform/Allocation", "transform/Capture", "transform/Compile", "transform/Resolve", "transform/SiteNames")


class Missing(build.BuildError):
    """A program that cannot be built here: no source, or something that its build needs."""


FLAVOURS = {  # name: (C compiler, C++ compiler, what a link is called with besides)
    "freehold": ("freehold-cc", "freehold-c++", []),
    "clang": ("clang-19", "clang++-19", ["-flto=full", "-ffat-lto-objects", "-fuse-ld=lld"]),
}
# Says what was compiled and how each output was linked: folder and words, each followed by a null byte.
WRAPPER = """#!/bin/sh
printf '%s\\t%s\\n' "$PWD" "$*" >>"{folder}/compiled.txt"
out= link=yes last=
for word; do
  case $word in -c|-S|-E|-M|-MM) link=no;; esac
  [ "$last" = -o ] && out=$word
  last=$word
done
[ $link$out = "yes$out" ] && [ -n "$out" ] && printf '%s\\0' "$PWD" "$@" >"{folder}/links/${{out##*/}}"
exec {words} "$@"
"""


def stamp_of(subject, folders, flavour):
    """The same stamp: the same build."""
    digest = hashlib.sha256(repr((subject.sources, subject.recipe, folders, FLAVOURS[flavour], WRAPPER)).encode())
    for prefix in WRITERS if flavour == "freehold" else ():
        folder, base = os.path.split(os.path.join(build.ROOT, prefix))
        inside = os.path.join(folder, base)
        files = [os.path.join(inside, f) for f in os.listdir(inside)] if os.path.isdir(inside) else [inside + ".h", inside + ".cpp"]
        for file in sorted(f for f in files if f.endswith((".h", ".cpp")) and not f.endswith("Test.cpp") and os.path.exists(f)):
            with open(file, "rb") as text:
                digest.update(text.read())
    return digest.hexdigest()


def fetched(subject):
    folders = []
    for source in subject.sources:
        done = subprocess.run([os.path.join(build.BENCH, "fetch"), source], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Missing(f"the source of {source} is not to be had (see above)")
        folders.append(done.stdout.strip())
    return folders


class Built:
    """One subject's build in the work folder, by freehold-cc or by another compiler."""

    def __init__(self, name, work, flavour="freehold"):
        self.name, self.subject, self.flavour = name, SUBJECTS[name], flavour
        self.folder = os.path.join(work, name if flavour == "freehold" else f"{name}-{flavour}")
        self.captures = os.path.join(self.folder, "captures")
        self.log = os.path.join(self.folder, "compiled.txt")

    def capture(self, row):
        return os.path.join(self.captures, self.subject.rows[row] + ".bc")

    def link(self, row):
        """(folder, words behind the compiler's name) of the row's link"""
        with open(os.path.join(self.folder, "links", self.subject.rows[row]), encoding="utf-8") as file:
            folder, *words = file.read().split("\0")[:-1]
        return folder, words

    def results(self):
        """What a build must leave."""
        if self.flavour == "freehold":
            return [self.capture(row) for row in self.subject.rows]
        return [os.path.join(self.folder, "links", program) for program in self.subject.rows.values()]

    def compilers(self, home):
        cc, cxx, words = FLAVOURS[self.flavour]
        where = os.path.join(home, "bin") if self.flavour == "freehold" else ""
        return [os.path.join(where, cc), *words], [os.path.join(where, cxx), *words]

    def make(self, home, jobs, keep):
        """Builds unless the same was built before. keep: whatever was built before will do."""
        stamp_file = os.path.join(self.folder, "stamp")
        ready = os.path.exists(stamp_file) and all(map(os.path.exists, self.results()))
        if ready and keep:
            return
        for path, package in self.subject.needs:
            if not os.path.exists(path):
                raise Missing(f"{path} is missing (on Debian: apt-get install {package})")
        folders = fetched(self.subject)
        stamp = stamp_of(self.subject, folders, self.flavour)
        if ready:
            with open(stamp_file, encoding="utf-8") as file:
                if file.read() == stamp:
                    return
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.captures, os.path.join(self.folder, "links")):
            os.makedirs(folder)
        for source, folder in zip(self.subject.sources, folders):
            shutil.copytree(folder, os.path.join(self.folder, source), symlinks=True)
        os.makedirs(self.place(), exist_ok=True)
        self.run(home, jobs)
        absent = [file for file in self.results() if not os.path.exists(file)]
        if absent:
            raise build.BuildError(f"the build of {self.name} left no {absent[0]}: the compiler had no part in that link; see {self.folder}/build.log")
        with open(stamp_file, "w", encoding="utf-8") as out:
            out.write(stamp)

    def place(self):
        """Where the recipe runs."""
        return os.path.join(self.folder, *self.subject.sources[:1] or ["empty"])

    def run(self, home, jobs):
        environment = {k: v for k, v in os.environ.items() if k not in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LIBS", "MAKEFLAGS", "AR", "RANLIB")}
        captures = [f"--freehold-test-capture={self.captures}/%o.bc"] if self.flavour == "freehold" else []
        for variable, words in zip(("CC", "CXX"), self.compilers(home)):
            environment[variable] = os.path.join(self.folder, variable.lower())
            with open(environment[variable], "w", encoding="utf-8") as out:
                out.write(WRAPPER.format(folder=self.folder, words=shlex.join(words + captures)))
            os.chmod(environment[variable], 0o755)
        environment.update(JOBS=str(jobs), LC_ALL="C")
        with open(os.path.join(self.folder, "build.log"), "wb") as log:
            done = subprocess.run(["sh", "-e", "-c", self.subject.recipe], cwd=self.place(),
                                  env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise build.BuildError(f"{self.name} does not build; see {self.folder}/build.log")

    def lines(self, modules):
        """Lines of the sources of these modules, without headers: where one name was compiled in several folders, one of them each."""
        places = {}
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8", errors="replace") as log:
                for entry in log:
                    folder, words = entry.rstrip("\n").split("\t", 1)
                    for word in words.split():
                        if word.endswith((".c", *build.CXX_SUFFIXES)):
                            path = os.path.normpath(os.path.join(folder, word))
                            if path not in places.setdefault(word, []) and os.path.exists(path):
                                places[word].append(path)
        total, counted = 0, {}
        for module in modules:
            found = places.get(module, [])
            path = found[counted.get(module, 0) % len(found)] if found else None
            counted[module] = counted.get(module, 0) + 1
            if path and counted[module] <= len(found):
                with open(path, "rb") as file:
                    total += sum(1 for _ in file)
        return total
