# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""engine - examples/engine in every mode beside its single-thread build: as an executable and as a library that is dlopen'ed
(position-independent), for x86-64 and i386. Its own `compare` counts; this builds what the build folder does not have, and judges."""
import concurrent.futures, json, os, re, subprocess

from . import access, build, machine
from .measure import Failed

SHAPES = ("x86-64", "x86-64-library", "i386", "i386-library")
FETCHING = ("passed-fetching", "classic-fetching")
MODES = ("static", "gs", "cached", "pointer", "passed", "classic", *FETCHING)
FLAGS = ["-O2", "-std=gnu11", "-w", "-D_GNU_SOURCE", "-fno-builtin-malloc", "-fno-builtin-calloc"]


def modes(shape):
    """static finds no room in what a dlopen leaves, %gs is the thread pointer of i386."""
    return [mode for mode in MODES if not (shape.endswith("library") and mode == "static") and not (shape.startswith("i386") and mode == "gs")]


def switches(mode):
    name = mode.replace("-fetching", "")
    return (["-DENGINE_SINGLE"] if mode == "single" else [f"-DFREEHOLD_GLOBALS_{name.upper()}=1"]) + (["-DENGINE_TWINS=0"] if mode != name else [])


class Shape:
    """A folder with bin/ and lib/ as compare wants them."""

    def __init__(self, name, freehold, work, progress):
        self.name, self.library, self.freehold, self.progress = name, name.endswith("-library"), freehold, progress
        self.source = os.path.join(os.path.dirname(freehold.include), "examples", "engine")
        self.files = [os.path.join(self.source, file) for file in self.listed("ENGINE_SOURCES")]
        self.resources = self.listed("ENGINE_RESOURCES")
        self.lib = os.path.join(freehold.folder, "lib")
        self.folder, self.target, self.cc, self.heap = freehold.folder, None, ["clang-19"], ["-L" + self.lib, "-lfreehold", "-Wl,-rpath," + self.lib]
        if name != "x86-64":
            self.folder = os.path.join(work, "engine-" + name)
            for folder in ("bin", "lib"):
                os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        if name.startswith("i386"):
            self.target = access.Target("i386", freehold, work, ["gcc"])
            if self.target.errors:
                raise self.target.errors["gcc"]
            self.target.build_libraries()
            self.cc = self.target.compilers["gcc"]
            self.heap = [os.path.join(build.BENCH, "access", "arena.c"), "-DFREEHOLD_NO_INLINE=1"]

    def listed(self, variable):
        """A list of the engine's CMakeLists.txt."""
        found = re.search(rf"set\({variable} ([^)]*)\)", machine.read(os.path.join(self.source, "CMakeLists.txt")))
        if not found:
            raise Failed(f"no {variable} in {self.source}/CMakeLists.txt")
        return found.group(1).split()

    def layout(self):
        script = os.path.join(os.path.dirname(self.freehold.include), "runtime", "globals", "freehold-layout")
        access.command([script, "--engine", "engine", "--cc", " ".join(self.cc), "--include", os.path.join(self.source, "globals_types.h"),
                        "-o", "engine_layout.h", *self.resources, "--", "-I" + self.freehold.include], self.folder, "freehold-layout")

    def globals_library(self, mode):
        mode = mode.replace("-fetching", "")
        if mode == "single":
            return []
        folder = self.target.library(mode) if self.target else self.lib
        if self.library:
            return ["-L" + folder, f"-lfreehold-tsrm-{mode}", "-Wl,-rpath," + folder]
        return [os.path.join(folder, f"libfreehold-tsrm-{mode}.a")]

    def compile(self, mode):
        self.progress(f"building the engine: {self.name}, {mode}")
        kind = (["-fPIC", "-shared", "-DENGINE_LIBRARY", "-DFREEHOLD_GLOBALS_DSO=1", "-fno-semantic-interposition", "-Wl,-Bsymbolic"]
                if self.library else ["-fno-pie", "-no-pie", "-rdynamic"])
        out = f"lib/engine-{mode}.so" if self.library else f"bin/engine-{mode}"
        access.command([*self.cc, *FLAGS, *kind, *switches(mode), "-I" + self.freehold.include, "-I.", *self.files, *self.heap, *self.globals_library(mode),
                        "-lm", "-ldl", "-pthread", "-o", out], self.folder, "compiler")

    def prepare(self):
        """Builds what is not there."""
        if self.name == "x86-64":
            return
        wanted = ["single", *modes(self.name)]
        self.layout()
        if self.name == "x86-64-library":
            for folder in ("bin", "lib"):
                for file in os.listdir(os.path.join(self.freehold.folder, folder)):
                    if file.startswith("engine-"):
                        os.symlink(os.path.join(self.freehold.folder, folder, file), os.path.join(self.folder, folder, file))
            wanted = FETCHING
        elif self.library:
            access.command([*self.cc, "-O2", os.path.join(self.source, "load.c"), "-o", "bin/engine-load", "-ldl", "-pthread"], self.folder, "compiler")
            access.command([*self.cc, *FLAGS, "-DENGINE_SINGLE", "-I" + self.freehold.include, *self.files, *self.heap, "-lm", "-ldl", "-pthread", "-o",
                            "bin/engine-single"], self.folder, "compiler")  # lists the rows
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(self.compile, wanted))


def compare(shape, rows, cache, out):
    """Its table as text and the counts, from the engine's own driver."""
    command = [os.path.join(shape.source, "compare"), "--build", shape.folder, "--modes", ",".join(modes(shape.name)), "--json", out]
    command += (["--library"] if shape.library else []) + (["--cache"] if cache else [])
    for row in rows:
        command += ["--rows", row]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        raise access.Refused(done.stderr.strip().splitlines()[-1])
    if done.returncode:
        return None, done.stdout + done.stderr
    with open(out, encoding="utf-8") as file:
        return json.load(file), done.stdout


def measure(names, rows, cache, freehold, work, progress):
    results = []
    for name in names:
        result = {"shape": name}
        results.append(result)
        try:
            shape = Shape(name, freehold, work, progress)
            shape.prepare()
            progress(f"counting the engine: {name}")
            result["counts"], result["text"] = compare(shape, rows, cache, os.path.join(work, f"engine-{name}.json"))
            if result["counts"] is None:
                result["failed"] = result["text"].strip().splitlines()[-1]
        except access.Refused as refused:
            result["refused"] = str(refused)
        except Failed as failure:
            result["failed"] = str(failure)
    return results


def render(results):
    lines = []
    for result in results:
        what = "a library that is dlopen'ed, position-independent" if result["shape"].endswith("library") else "an executable"
        lines += [f"engine, {result['shape'].removesuffix('-library')}, {what}: instructions of a request, against the single-thread build"]
        lines += (result.get("text") or result.get("failed") or result["refused"]).rstrip().splitlines() + [""]
    return lines


def judge(results):
    lines = []
    for result in results:
        counts = result.get("counts")
        if not counts:
            continue
        rows = {name: row for name, row in counts.items() if "/twins/" not in name and not name.endswith(("/all", "/cache"))}
        if "static" in modes(result["shape"]):
            ratios = {name: row["static"] / row["single"] for name, row in rows.items() if "static" in row}
            worst = max(ratios, key=ratios.get, default=None)
            figure = f"most {ratios[worst]:.4f} ({worst}), {len(ratios)} of {len(rows)} rows" if ratios else "no row was counted"
            lines.append({"verdict": "PASS" if ratios and len(ratios) == len(rows) and ratios[worst] <= 1.005 else "MISS", "figure": figure,
                          "what": f"engine, {result['shape']}: static at most 1.005 of the single-thread build, every row"})
        for mode in ("passed", "classic"):
            tables = [table for name, table in counts.items() if name.endswith(f"/twins/{mode}")]
            if not tables:
                continue
            before, after = ([sum(table[side][column] for table in tables) for column in (0, -1)] for side in ("without twins", "with twins"))
            change = [100 * (b / a - 1) if a else 0.0 for a, b in zip(before, after)]
            lines.append({"verdict": "PASS" if change[0] <= -60 and change[1] < 0 else "MISS",
                          "what": f"engine, {result['shape']}, {mode}: the twins take 60 % of the fetches away, and instructions",
                          "figure": f"fetches {change[0]:+.1f} %, instructions {change[1]:+.1f} %"})
    return lines
