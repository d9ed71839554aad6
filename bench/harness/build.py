# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""build - every program twice, from the same source with the same flags: by clang and by freehold-cc."""
import concurrent.futures, json, os, shutil, subprocess, sys

from . import programs

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCH)
FLAGS = ["-O2", "-pthread"]
CXX_SUFFIXES = (".cc", ".cpp", ".cxx", ".C")


class BuildError(Exception):
    pass


class NoSource(BuildError):
    """A fetched source that cannot be had now: no fault of the program or the compiler."""


class Compiler:
    """freehold is True if the compiler is ours; another one may stand in to try the harness."""

    def __init__(self, path):
        self.path = shutil.which(path) or (os.path.abspath(path) if os.path.exists(path) else None)
        self.version, self.freehold = "", False
        if self.path:
            answer = subprocess.run([self.path, "--version"], capture_output=True, text=True, check=False)
            lines = answer.stdout.splitlines()
            ours = [line for line in lines if line.startswith(("freehold-cc ", "freehold-c++ "))]
            self.freehold = bool(ours)
            self.version = ours[0] if ours else (lines[0] if lines else "")

    def library(self):
        """The shared libfreehold that belongs to this compiler, or None."""
        if not self.path:
            return None
        home = os.path.dirname(os.path.dirname(os.path.realpath(self.path)))
        for folder in ("lib", "lib64", "lib/freehold"):
            path = os.path.join(home, folder, "libfreehold.so")
            if os.path.exists(path):
                return path
        return None


def find_freehold(named, cxx=False):
    if named:
        return Compiler(named)
    name = "freehold-c++" if cxx else "freehold-cc"
    built = os.path.join(ROOT, "build", "bin", name)
    return Compiler(built if os.path.exists(built) else name)


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{(done.stderr or done.stdout).rstrip()}")
    if done.stderr.strip():
        sys.stderr.write(done.stderr)


def sources_of(name):
    """(folder, file, flags) of each source of a benchmark program."""
    files = [(os.path.join(BENCH, "programs"), name + ".c")]
    flags = []
    if name in programs.EXTRA:
        source, extra, flags = programs.EXTRA[name]
        done = subprocess.run([os.path.join(BENCH, "fetch"), source], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise NoSource(f"the source of {source} is not to be had (see above)")
        folder = done.stdout.strip()
        files += [(folder, file + ".c") for file in extra]
        flags = flags + ["-I" + folder]
    return files, flags


def build(compiler, sources, flags, output, base, link_flags=()):
    """Compiles each source to an object, then links; returns the report's path, or None where the compiler is not ours."""
    work = output + ".o"
    os.makedirs(work, exist_ok=True)
    ours = compiler.freehold
    report = output + ".json" if ours else None

    def compile_one(entry):
        number, (folder, file) = entry
        obj = os.path.join(work, f"{number}-{os.path.basename(file)}.o")
        run([compiler.path, *FLAGS, *flags, "-c", file, "-o", obj], folder)
        return obj

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(pool.map(compile_one, enumerate(sources)))
    link = [compiler.path, *FLAGS, *link_flags, *objects, "-lm", "-o", output]
    if ours:
        link += [f"--freehold-report={report}", f"--freehold-report={output}.txt", f"--freehold-base={base}"]
    run(link, base)
    return report


def summary(report):
    """The counts of a report, or why there are none."""
    if not report:
        return None
    try:
        with open(report, encoding="utf-8") as file:
            data = json.load(file)
        counts = dict(data["summary"])
        if "aside" in data:
            counts["aside"] = data["aside"]["text"]
        return counts
    except (OSError, ValueError, KeyError) as error:
        return {"aside": f"no readable report: {error}"}
