# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""access - what one access of a global costs: the rows of access/ built for every place, compiler and target; their instructions
counted by stepping, their CPU time taken in alternating runs. What a compiler, linker or loader refuses is a result with its words."""
import concurrent.futures, os, re, shutil, statistics, subprocess

from . import build, machine, measure
from .build import BENCH

# target: (compilers as label -> command, what to install where they are missing)
TARGETS = {
    "x86-64": ({"gcc": ["gcc"], "clang": ["clang-19"]}, "gcc, clang-19"),
    "i386": ({"gcc": ["gcc", "-m32"], "clang": ["clang-19", "-m32"]}, "gcc-multilib, g++-multilib"),
    "musl": ({"gcc": ["musl-gcc"]}, "musl-tools"),
}
# place: (label, flags of its objects)
PLACES = {
    "exe": ("executable", ["-fno-pie"]),
    "pie": ("PIE", ["-fPIE"]),
    "linked": ("linked lib", ["-fPIC"]),
    "dlopened": ("dlopen'ed lib", ["-fPIC"]),
}
LIBRARIES = ("linked", "dlopened")
MODES = ("static", "gs", "cached", "pointer", "passed", "classic")


class Row:
    def __init__(self, label, flags, places=tuple(PLACES), mode=None, sources=("access.c", "state.c"), only=None, archive=False):
        self.label, self.flags, self.places, self.mode, self.sources = label, flags, places, mode, sources
        self.only, self.archive = only, archive  # the only compiler that has it; linked with the archive in libraries too


def _native(label, model, *flags, **more):
    return Row(label, ["-DROW_NATIVE", *([f'-DMODEL="{model}"'] if model else []), *flags], **more)


def _mode(mode, label, *flags, **more):
    return Row(label, [f"-DFREEHOLD_GLOBALS_{mode.upper()}=1", "-DROW_FREEHOLD", *flags], mode=mode, **more)


LARGE = "-DACCESS_LARGE"
ROWS = {
    "plain": Row("plain global", ["-DROW_PLAIN"]),
    "plain-hidden": Row("plain global, hidden", ["-DROW_PLAIN", "-DACCESS_HIDDEN"], LIBRARIES),
    "static": _mode("static", "Freehold static"),
    "static-archive": _mode("static", "Freehold static, archive inside", places=("dlopened",), archive=True),
    "static-large": _mode("static", "Freehold static, same, 8 KiB block", LARGE, places=("dlopened",), archive=True),
    "gs": _mode("gs", "Freehold gs"),
    "gs-keeps": _mode("gs", "Freehold gs, compiled KEEPS_BASE", "-DFREEHOLD_GLOBALS_KEEPS_BASE=1"),
    "gs-kept": _mode("gs", "Freehold gs, FH_GLOBALS_KEEP", "-DROW_KEEP"),
    "gs-value": _mode("gs", "Freehold gs, FH_G_VALUE", "-DROW_VALUE"),
    "cached": _mode("cached", "Freehold cached"),
    "cached-kept": _mode("cached", "Freehold cached, FH_GLOBALS_KEEP", "-DROW_KEEP"),
    "cached-dynamic": _mode("cached", "Freehold cached, compiled DYNAMIC", "-DFREEHOLD_GLOBALS_DYNAMIC=1", places=("dlopened",)),
    "pointer": _mode("pointer", "Freehold pointer"),
    "passed": _mode("passed", "Freehold passed, parameter at hand"),
    "passed-fetch": _mode("passed", "Freehold passed, fetched once", "-DROW_FETCH"),
    "classic": _mode("classic", "Freehold classic, parameter at hand"),
    "classic-fetch": _mode("classic", "Freehold classic, fetched once", "-DROW_FETCH"),
    "local-exec": _native("__thread local-exec", "local-exec"),
    "initial-exec": _native("__thread initial-exec", "initial-exec"),
    "initial-exec-large": _native("__thread initial-exec, 8 KiB", "initial-exec", LARGE, places=("dlopened",)),
    "local-dynamic": _native("__thread local-dynamic, hidden", "local-dynamic", "-DACCESS_HIDDEN"),
    "global-dynamic": _native("__thread global-dynamic", "global-dynamic"),
    "tlsdesc": _native("__thread TLSDESC", "global-dynamic", "-mtls-dialect=gnu2"),
    "tlsdesc-large": _native("__thread TLSDESC, 8 KiB", "global-dynamic", "-mtls-dialect=gnu2", LARGE, places=("dlopened",)),
    "key": Row("pthread_getspecific", ["-DROW_KEY"]),
    "tss": Row("C11 tss_get", ["-DROW_TSS"]),
    "cxx-same": Row("C++ thread_local, same file", [], sources=("cxx.cc -DROW_USE -DROW_STATE",)),
    "cxx-other": Row("C++ thread_local, other file", [], sources=("cxx.cc -DROW_USE", "cxx.cc -DROW_STATE")),
    "emulated": _native("emulated TLS", None, "-femulated-tls", only="clang"),
}


class Refused(Exception):
    """What cannot be had here, in the words of who refused."""


# What a compiler or linker may say of a row that cannot be: anything else is our own error, and fails the row.
CANNOT_BE = re.compile(r"gs needs x86-64 Linux|unsupported option|unrecognized command-line option|relocation \S*(TPOFF|TLS)|"
                       r"initial-exec TLS|static TLS block|musl-gcc compiles no C\+\+", re.I)


def words(text):
    """The line of a compiler's, linker's or loader's output that says it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|cannot|can not|relocation", line, re.I)] or lines or ["?"]
    line = re.sub(r"/\S*/", "", telling[0])
    line = re.sub(r"^Error relocating \S+: \S+: (.*?)( in \S+)?$", r"\1", line)  # musl names the file and the variable
    return re.sub(r"^(\S+: )+(?=error|relocation|cannot|R_)", "", line)[:170]


def command(arguments, cwd, what):
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        said = f"{what}: {words(done.stderr or done.stdout)}"
        raise Refused(said) if CANNOT_BE.search(said) else measure.Failed(said)


class Target:
    """Compilers for one kind of machine and C library, and Freehold's library for it."""

    def __init__(self, name, freehold, work, compilers):
        self.name, self.work, self.freehold = name, os.path.join(work, name), freehold
        found, self.packages = TARGETS[name]
        self.compilers = {label: cc for label, cc in found.items() if label in compilers}
        self.source = os.path.join(os.path.dirname(freehold.include), "runtime")
        self.errors, self.libraries = {}, {}
        for label, cc in self.compilers.items():
            os.makedirs(self.folder(label), exist_ok=True)
            self.try_compiler(label, cc)

    def folder(self, label):
        return os.path.join(self.work, label)

    def able(self):
        """Those without an error: a Refused, or what failed of what every row needs."""
        return {label: cc for label, cc in self.compilers.items() if label not in self.errors}

    def try_compiler(self, label, cc):
        if not shutil.which(cc[0]):
            self.errors[label] = Refused(f"{cc[0]} is not installed (Debian: {self.packages})")
            return
        home = self.folder(label)
        with open(os.path.join(home, "try.c"), "w", encoding="utf-8") as out:
            out.write("#include <pthread.h>\nint main(void) { return 0; }\n")
        done = subprocess.run([*cc, "try.c", "-o", "try", "-pthread"], cwd=home, capture_output=True, text=True, check=False)
        if done.returncode:
            self.errors[label] = Refused(f"{' '.join(cc)}: {words(done.stderr)} (Debian: {self.packages})")
            return
        try:
            for place, driver in (("exe", []), ("pie", []), ("linked", []), ("dlopened", ["-DACCESS_DLOPEN"])):
                flags = ["-fPIE"] if place in LIBRARIES else PLACES[place][1]
                command([*cc, *build.FLAGS, "-D_GNU_SOURCE", *flags, *driver, "-c", os.path.join(BENCH, "access", "drive.c"), "-o", f"drive-{place}.o"],
                        home, cc[0])
            command([*cc, "-pie", "drive-dlopened.o", "-o", "drive-dlopened", "-ldl", "-pthread", "-rdynamic"], home, cc[0])
            for folder, flags in (("small", []), ("large", [LARGE])):
                os.makedirs(os.path.join(home, folder), exist_ok=True)
                command([os.path.join(self.source, "globals", "freehold-layout"), "--engine", "bench", "--cc", " ".join(cc), "--reserve", "256", "--include",
                         os.path.join(BENCH, "access", "types.h"), "-o", os.path.join(folder, "bench_layout.h"), "first=struct first",
                         "second=struct second", "--", *flags], home, "freehold-layout")
        except (Refused, measure.Failed) as why:
            self.errors[label] = why

    def build_libraries(self):
        """Freehold's own for the machine it was built on; for another, from its sources."""
        if self.name == "x86-64":
            return
        cc = next(iter(self.able().values()), None)
        if not cc:
            return
        listed = re.search(r"freehold_globals_objects OBJECT ([^)]*)\)", machine.read(os.path.join(self.source, "globals", "CMakeLists.txt")))
        # musl refuses initial-exec in what is dlopen'ed, and TSRM's cache is such a variable unless it is compiled so
        dynamic = ["-DFREEHOLD_GLOBALS_DYNAMIC=1"] if self.name == "musl" else []
        files = [os.path.join(self.source, "globals", f) for f in (listed.group(1) + " tsrm_default.c front.c").split()] if listed else []

        def one(mode):
            folder = os.path.join(self.work, "lib-" + mode)
            os.makedirs(folder, exist_ok=True)
            own = ["-DFH_LAYOUT_tsrm_SIZE=512"] if mode == "static" else []  # as the build of the shared library has it
            try:
                if not files:
                    raise measure.Failed(f"no list of sources in {self.source}/globals/CMakeLists.txt")
                command([*cc, "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", *dynamic, *own, "-I" + self.freehold.include,
                         f"-DFREEHOLD_GLOBALS_{mode.upper()}=1", "-c", *files], folder, "compiler")
                objects = sorted(f for f in os.listdir(folder) if f.endswith(".o"))
                command(["ar", "rcs", f"libfreehold-tsrm-{mode}.a", *objects], folder, "ar")
                command([*cc, "-shared", *objects, "-o", f"libfreehold-tsrm-{mode}.so", f"-Wl,-soname,libfreehold-tsrm-{mode}.so", "-pthread"], folder, "linker")
            except (Refused, measure.Failed) as why:
                self.libraries[mode] = why
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(one, MODES))

    def library(self, mode):
        """Folder of libfreehold-tsrm-MODE."""
        if mode in self.libraries:
            raise self.libraries[mode]
        return os.path.join(self.freehold.folder, "lib") if self.name == "x86-64" else os.path.join(self.work, "lib-" + mode)


def build_cell(target, cell, name, row):
    """Adds the command that runs it, or raises Refused."""
    cc, place, home = target.compilers[cell["compiler"]], cell["place"], target.folder(cell["compiler"])
    base = f"{name}-{place}"
    objects, cxx = [], False
    for number, source in enumerate(row.sources):
        file, *more = source.split()
        language = []
        if file.endswith(".cc"):
            cxx = True
            language = ["-std=c++17"]
            if target.name == "musl":
                raise Refused("compiler: musl-gcc compiles no C++")
        compiler = [cc[0].replace("clang", "clang++").replace("gcc", "g++"), *cc[1:]] if cxx else cc
        objects.append(f"{base}-{number}.o")
        command([*compiler, *build.FLAGS, "-D_GNU_SOURCE", "-w", *language, *PLACES[place][1], *row.flags, *more, "-I" + target.freehold.include,
                 *(["-DFREEHOLD_GLOBALS_DSO=1"] if place in LIBRARIES else []), "-I" + os.path.join(home, "large" if LARGE in row.flags else "small"),
                 "-c", os.path.join(BENCH, "access", file), "-o", objects[-1]], home, "compiler")
    archive = [os.path.join(target.library(row.mode), f"libfreehold-tsrm-{row.mode}.a")] if row.mode else []
    if place not in LIBRARIES:
        command([*compiler, "-pthread", "-no-pie" if place == "exe" else "-pie", f"drive-{place}.o", *objects, *archive, "-o", base], home, "linker")
        cell["command"] = [os.path.join(home, base)]
        return
    library = archive if row.archive else ["-L" + target.library(row.mode), f"-lfreehold-tsrm-{row.mode}", "-Wl,-rpath," + target.library(row.mode)] if row.mode else []
    command([*compiler, "-pthread", "-shared", *objects, *library, "-o", f"lib{base}.so"], home, "linker")
    if place == "linked":
        command([*compiler, "-pthread", "-pie", "drive-linked.o", "-L.", f"-l{base}", "-Wl,-rpath," + home, *library, "-o", base], home, "linker")
        cell["command"] = [os.path.join(home, base)]
    else:
        cell["command"] = [os.path.join(home, "drive-dlopened"), os.path.join(home, f"lib{base}.so")]


def run(cell, *verb):
    code, out, err = measure.execute([*cell["command"], *verb], 60)
    said = err.decode(errors="replace")
    if code == 1:
        raise Refused("loader: " + words(said))
    if code == 3 and "%gs is in use" in said:
        raise Refused("machine: " + words(said))
    if code:
        raise measure.Failed(measure.complaint(code, err))
    return [float(field) for field in out.split()]


def prepare(target, names, progress):
    """All cells of a target, built and counted; as many at a time as there are processors, since nothing is timed."""
    target.build_libraries()
    cells = [{"target": target.name, "row": name, "place": place, "compiler": label} for name in names for place in ROWS[name].places for label in target.compilers]

    def one(cell):
        progress(f"{target.name}: {cell['row']}, {cell['place']}, {cell['compiler']}")
        row = ROWS[cell["row"]]
        try:
            if cell["compiler"] in target.errors:
                raise target.errors[cell["compiler"]]
            if row.only and row.only != cell["compiler"]:
                raise Refused(f"compiler: {cell['compiler']} has no switch for it")
            build_cell(target, cell, cell["row"], row)
            cell["one"], cell["four"] = (int(n) for n in run(cell, "count"))
        except Refused as refused:
            cell["refused"] = str(refused)
        except measure.Failed as failure:
            cell["failed"] = str(failure)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, cells))
    return cells


def able(cells):
    return [cell for cell in cells if "one" in cell and not cell.get("failed")]


def time(cells, rounds, progress):
    """Adds cell["ns"], and cell["cycles"] where they are counted: per round CPU nanoseconds of a call of none, one, four. Each round begins
    with another cell."""
    for number in range(rounds):
        some = able(cells)
        start = number * len(some) // rounds
        for cell in some[start:] + some[:start]:
            progress(f"round {number + 1} of {rounds}: {cell['target']} {cell['row']}, {cell['place']}, {cell['compiler']}")
            try:
                figures = run(cell, "time")
                for unit in UNITS[:len(figures) // 3]:
                    cell.setdefault(unit, []).append(figures[:3])
                    del figures[:3]
            except (measure.Failed, Refused) as failure:
                cell["failed"] = str(failure)


def cross_check(cells, progress):
    """The same counts by callgrind, where it runs: adds cell["callgrind"]."""
    calls = 20000

    def one(cell):
        progress(f"callgrind: {cell['row']}, {cell['place']}, {cell['compiler']}")
        counts = {}
        for which in ("none", "one", "four"):
            once, thrice = (measure.count_instructions("callgrind", {"program": cell["command"][0]}, [*cell["command"][1:], "calls", which, str(n)], 120)
                            for n in (calls, 3 * calls))
            counts[which] = (thrice - once) / (2 * calls)
        cell["callgrind"] = [round(counts[which] - counts["none"], 2) for which in ("one", "four")]

    def guarded(cell):
        try:
            one(cell)
        except measure.Failed as failure:
            cell["callgrind_failed"] = str(failure)[:160]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(guarded, able(cells)))


UNITS = ("ns", "cycles")


def added(cell):
    """What four accesses add to an empty call: the median of the rounds' differences, in each unit that there is."""
    return {unit: statistics.median(four - none for none, _, four in cell[unit]) for unit in UNITS if cell.get(unit)}


def find(cells, **wanted):
    return next((cell for cell in cells if all(cell[key] == value for key, value in wanted.items())), None)


def render(cells):
    """One table a target; what was refused gets a number and a line below."""
    lines = []
    for target in dict.fromkeys(cell["target"] for cell in cells):
        own = [cell for cell in cells if cell["target"] == target]
        columns = [(place, label) for place in PLACES for label in TARGETS[target][0] if find(own, place=place, compiler=label)]
        width, notes = max(len(row.label) for row in ROWS.values()), []
        lines += [f"access, {target}: instructions of a function with 1 / 4 accesses less those of one with none"
                  + (f" (CPU {', '.join(units)} that the four add)" if (units := [unit for unit in UNITS if any(cell.get(unit) for cell in own)]) else ""),
                  f"  {'':<{width}}" + "".join(f"  {PLACES[place][0] + ',':>14}" for place, _ in columns),
                  f"  {'':<{width}}" + "".join(f"  {label:>14}" for _, label in columns)]
        for name in dict.fromkeys(cell["row"] for cell in own):
            text = f"  {ROWS[name].label:<{width}}"
            for place, label in columns:
                cell = find(own, row=name, place=place, compiler=label)
                text += f"  {shown(cell, notes):>14}"
            lines.append(text)
        lines += [f"    [{number}] {note}" for number, note in enumerate(notes, 1)] + [""]
    return lines


def shown(cell, notes):
    if not cell:
        return ""
    why = cell.get("failed") or cell.get("refused")
    if why:
        if why not in notes:
            notes.append(why)
        return f"{'FAILED' if cell.get('failed') else 'refused'} [{notes.index(why) + 1}]"
    return f"{cell['one']}/{cell['four']}" + (f" ({', '.join(f'{more:.1f}' for more in added(cell).values())})" if added(cell) else "")


def judge(cells):
    """PASS or MISS of what is promised of an access."""
    lines = []

    def add(target, what, places, row, bound):
        verdict, figures = "PASS", []
        for place in places:
            for label in TARGETS[target][0]:
                own, plain = (find(cells, target=target, row=name, place=place, compiler=label) for name in (row, "plain"))
                if not own or not plain:
                    continue
                if "one" not in own or "one" not in plain:
                    figures.append(f"{label} {place}: {own.get('failed') or own.get('refused') or 'no plain global'}")
                    verdict = "MISS"
                    continue
                figures.append(f"{label} {place} {own['one']}/{own['four']} to {plain['one']}/{plain['four']}")
                if not (own["one"] <= plain["one"] + bound and own["four"] <= plain["four"] + 4 * bound):
                    verdict = "MISS"
        if figures:
            lines.append({"verdict": verdict, "what": f"{target}: {what}", "figure": "; ".join(figures)})
    for target in TARGETS:
        add(target, "executable, static as a plain global", ("exe", "pie"), "static", 0)
        add(target, "executable, cached one instruction more per access", ("exe", "pie"), "cached", 1)
        if target != "i386":  # no free segment register there
            for row, how in (("gs", ""), ("gs-keeps", " compiled KEEPS_BASE"), ("gs-kept", " by FH_GLOBALS_KEEP"), ("gs-value", " by FH_G_VALUE")):
                add(target, f"dlopen'ed library, gs{how} at most a plain global", ("dlopened",), row, 0)
    return lines
