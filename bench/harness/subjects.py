# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""subjects - the real programs of bench/analysis: where each comes from and how its own build makes it.

A recipe runs in a copy of the source, as its authors describe it, with $CC and $CXX standing for freehold-cc and freehold-c++.
Everything of the program that is C or C++ is compiled, so that the link sees it whole; hand-written assembly is switched off."""
import dataclasses, hashlib, os, shutil, subprocess

from . import build


@dataclasses.dataclass(frozen=True)
class Subject:
    title: str
    sources: tuple  # of bench/fetch; the first is where the recipe runs, the others lie beside it as ../NAME
    recipe: str
    rows: dict      # name of a row: base name of the program's file
    needs: tuple = ()  # commands and headers that a machine may lack: (path, Debian's package)
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
                       "-DHAVE_TCMALLOC=OFF -DHAVE_CRC32C=OFF && cmake --build b -j$JOBS --target leveldbutil", {"leveldb": "leveldbutil"}),
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


def wrapper(path, compiler, captures, log):
    """A compiler that says what it compiled, and leaves what the analysis of each link was given."""
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'#!/bin/sh\nprintf "%s\\t%s\\n" "$PWD" "$*" >>"{log}"\n'
                  f'exec "{compiler}" "--freehold-test-capture={captures}/%o.bc" "--freehold-report={captures}/%o.json" --freehold-timings "$@"\n')
    os.chmod(path, 0o755)


def stamp_of(subject, folders):
    """The same stamp: the same build."""
    digest = hashlib.sha256(repr((subject.sources, subject.recipe, folders)).encode())
    for prefix in WRITERS:
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
    """One subject's build in the work folder."""

    def __init__(self, name, work):
        self.name, self.subject = name, SUBJECTS[name]
        self.folder = os.path.join(work, name)
        self.captures = os.path.join(self.folder, "captures")
        self.log = os.path.join(self.folder, "compiled.txt")

    def capture(self, row):
        return os.path.join(self.captures, self.subject.rows[row] + ".bc")

    def link_report(self, row):
        return os.path.join(self.captures, self.subject.rows[row] + ".json")

    def make(self, home, jobs, keep):
        """Builds unless the same was built before. keep: whatever was built before will do."""
        stamp_file = os.path.join(self.folder, "stamp")
        ready = os.path.exists(stamp_file) and all(os.path.exists(self.capture(row)) for row in self.subject.rows)
        if ready and keep:
            return
        for path, package in self.subject.needs:
            if not os.path.exists(path):
                raise Missing(f"{path} is missing (on Debian: apt-get install {package})")
        folders = fetched(self.subject)
        stamp = stamp_of(self.subject, folders)
        if ready:
            with open(stamp_file, encoding="utf-8") as file:
                if file.read() == stamp:
                    return
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.captures)
        for source, folder in zip(self.subject.sources, folders):
            shutil.copytree(folder, os.path.join(self.folder, source), symlinks=True)
        os.makedirs(self.place(), exist_ok=True)
        self.run(home, jobs)
        absent = [row for row in self.subject.rows if not os.path.exists(self.capture(row))]
        if absent:
            raise build.BuildError(f"the build of {self.name} left nothing of {absent[0]}: freehold-cc had no part in its link; "
                                   f"see {self.folder}/build.log")
        with open(stamp_file, "w", encoding="utf-8") as out:
            out.write(stamp)

    def place(self):
        """Where the recipe runs."""
        return os.path.join(self.folder, *self.subject.sources[:1] or ["empty"])

    def run(self, home, jobs):
        environment = {k: v for k, v in os.environ.items() if k not in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LIBS", "MAKEFLAGS", "AR", "RANLIB")}
        for variable, name in (("CC", "freehold-cc"), ("CXX", "freehold-c++")):
            environment[variable] = os.path.join(self.folder, variable.lower())
            wrapper(environment[variable], os.path.join(home, "bin", name), self.captures, self.log)
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
