# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peers - the allocators that bench/heap compares with: Debian's packages, and newer ones built from the sources that crates carry.

A peer from source is fetched by its pin, built once into the cache (a folder named by version and recipe) and never committed. One
that cannot be had is a row that says why. Flags are those of each project's own release build; clang-19 for all, so that no one
gains by a compiler."""
import glob, hashlib, os, shutil, subprocess, sys

from . import machine
from .build import BENCH

# name, library patterns, Debian packages that bring it (the first installed counts)
DEBIAN = (
    ("mimalloc-debian", ("libmimalloc.so.3", "libmimalloc.so.2"), ("libmimalloc3", "libmimalloc2.0")),
    ("jemalloc-debian", ("libjemalloc.so.2",), ("libjemalloc2",)),
    ("tcmalloc-debian", ("libtcmalloc_minimal.so.4",), ("libtcmalloc-minimal4t64", "libtcmalloc-minimal4")),
    ("tbbmalloc-debian", ("libtbbmalloc_proxy.so.2",), ("libtbbmalloc2",)),
)

C_FLAGS = ["-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-fno-builtin-malloc", "-w"]
MIMALLOC = [*C_FLAGS, "-std=c11", "-DMI_BUILD_RELEASE", "-DMI_MALLOC_OVERRIDE", "-DMI_SHARED_LIB", "-DMI_SHARED_LIB_EXPORT"]
SNMALLOC = ["-O3", "-DNDEBUG", "-std=c++20", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-mcx16", "-mprfchw", "-w",
            "-fomit-frame-pointer", "-ffunction-sections", "-DSNMALLOC_USE_CXX11_THREAD_ATEXIT_DIRECT", "-DSNMALLOC_USE_WAIT_ON_ADDRESS=1",
            "-DSNMALLOC_CHECK_LOADS=false", "-DSNMALLOC_PAGEID=false", '-DSNMALLOC_EXPORT=__attribute__((visibility("default")))']
RPMALLOC = ["-O3", "-DNDEBUG", "-fPIC", "-ftls-model=initial-exec", "-w", "-D_GNU_SOURCE", "-DENABLE_OVERRIDE=1", "-DENABLE_PRELOAD=1"]

# name: (source in bench/fetch, version of the allocator, compiler, flags, files); jemalloc has a build of its own
SOURCES = {
    "mimalloc-3": ("mimalloc3", "3.3.2", "clang-19", [*MIMALLOC, "-Iinclude", "-Isrc"], ["src/static.c"]),
    "mimalloc-2": ("mimalloc2", "2.3.2", "clang-19", [*MIMALLOC, "-Iinclude", "-Isrc"], ["src/static.c"]),
    "snmalloc": ("snmalloc", "0.7.6", "clang++-19", [*SNMALLOC, "-Isrc", "-static-libstdc++"],
                 ["src/snmalloc/override/malloc.cc", "src/snmalloc/override/new.cc"]),
    "rpmalloc": ("rpmalloc", "1.4.3+b097fd0", "clang-19", RPMALLOC, ["rpmalloc.c"]),
    "jemalloc": ("jemalloc", "5.3.1", "clang-19", ["--disable-cxx", "--disable-doc"], ["configure"]),
}
NAMES = [*SOURCES, *(name for name, _, _ in DEBIAN)]
TIMEOUT = 1200


class CannotBuild(Exception):
    pass


def run(command, folder, log):
    """One step of a build; its whole output goes to a file, the last line of it into the complaint."""
    try:
        with open(log, "ab") as out:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, timeout=TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotBuild(str(error)) from None
    if done.returncode != 0:
        raise CannotBuild(f"{os.path.basename(command[0])} ended with {done.returncode}; see {log}")


def source(name):
    """The folder of a pinned source and the cache it lies in."""
    done = subprocess.run([os.path.join(BENCH, "fetch"), name], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CannotBuild(f"the source of {name} is not to be had")
    folder = done.stdout.strip()
    return folder, folder[:folder.index("/.cache/") + 8] if "/.cache/" in folder else os.path.dirname(folder)


def build_jemalloc(folder, target, options, log):
    """Configured in a copy: the crate keeps the generated configure apart, and a fetched tree stays as it came."""
    tree = os.path.join(target, "tree")
    shutil.copytree(folder, tree)
    shutil.copy(os.path.join(os.path.dirname(folder), "configure", "configure"), tree)
    run(["env", "CC=clang-19", "sh", "configure", "--with-version=5.3.1-0-g0", *options], tree, log)
    run(["make", f"-j{os.cpu_count() or 1}", "build_lib_shared"], tree, log)
    run(["strip", "-g", "-o", os.path.join(target, "library.so"), os.path.join(tree, "lib", "libjemalloc.so.2")], tree, log)
    shutil.rmtree(tree)


def built(name):
    """Path of the peer's library, built if it is not in the cache yet."""
    fetched, version, compiler, flags, files = SOURCES[name]
    folder, cache = source(fetched)
    recipe = hashlib.sha256(repr(SOURCES[name]).encode()).hexdigest()[:8]
    target = os.path.join(cache, "peers", f"{name}-{version}-{recipe}")
    library = os.path.join(target, "library.so")
    if os.path.exists(library):
        return library
    if not shutil.which(compiler):
        raise CannotBuild(f"{compiler} is not installed")
    print(f"heap: building {name} {version} (once; it stays in {target})", file=sys.stderr, flush=True)
    beside = f"{target}.{os.getpid()}"
    log = f"{target}.log"
    shutil.rmtree(beside, ignore_errors=True)
    os.makedirs(beside)
    try:
        if name == "jemalloc":
            build_jemalloc(folder, beside, flags, log)
        else:
            run([compiler, *flags, "-shared", *files, "-pthread", "-o", os.path.join(beside, "library.so")], folder, log)
        if not os.path.exists(library):
            os.rename(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return library


def debian(name):
    """(library or None, package and version, package to install)"""
    libraries, packages = next((l, p) for n, l, p in DEBIAN if n == name)
    paths = [p for lib in libraries for p in sorted(glob.glob(f"/usr/lib/*/{lib}") + glob.glob(f"/usr/lib/{lib}"))]
    wanted = packages[-1] if 'VERSION_ID="12"' in machine.read("/etc/os-release") else packages[0]
    return paths[0] if paths else None, machine.package_version(*packages), wanted


def find(names):
    """One row for each peer: name, label, preload, package, tls_model, or error."""
    rows = []
    for name in names:
        row = {"name": name, "label": name}
        if name in SOURCES:
            row["package"] = f"{name.split('-')[0]} {SOURCES[name][1]} from source"
            row["label"] = f"{name.split('-')[0]} {SOURCES[name][1]}"
            try:
                row["preload"] = built(name)
            except CannotBuild as error:
                row["error"] = f"not built: {error}"
        else:
            row["preload"], row["package"], wanted = debian(name)
            row["label"] = f"{name.replace('-debian', '')} {row['package'].split(' ')[-1].split('-')[0] if row['package'] else ''} (Debian)"
            if not row["preload"]:
                row["error"] = f"not installed: {wanted}"
        if not row.get("error"):
            row["tls_model"] = machine.tls_model(row["preload"])
        rows.append(row)
    return rows
