# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""micro - the three loops of micro/ in every variant: built, their instructions counted, their CPU time taken in alternating runs."""
import concurrent.futures, os, re, statistics, subprocess

from . import build, machine, measure, peers
from .build import BENCH

LOOPS = ("pair", "lifo", "random")
# pairs of a counted run (callgrind and perf take the difference to three times as many; stepping is slow and needs few)
COUNTED = {"pair": 4000, "lifo": 6000, "random": 20000}
STEPPED = {"pair": 60, "lifo": 200, "random": 300}
LIMIT = {"pair": 11, "lifo": 16, "random": 25}
CALLED = 30  # a pair of more instructions than this was no inlined one
# All variants' loops begin at a multiple of 32 bytes: where the linker happens to put one is worth 3 % of 16 instructions.
ALIGNED = "-falign-loops=32"
FLAGS = ["-O2", "-D_GNU_SOURCE", "-std=gnu11", "-pthread", ALIGNED]


class NotTheLimit(Exception):
    """The yardstick itself is wrong: nothing that is compared with it would mean anything."""


class Freehold:
    """What of Freehold there is to measure: a build folder's compiler, libraries and headers."""

    def __init__(self, folder):
        self.folder = folder
        self.shared = self.existing("lib", "libfreehold.so")
        self.static = self.existing("lib", "libfreehold.a")
        compiler = self.existing("bin", "freehold-cc")
        self.compiler = build.Compiler(compiler) if compiler else None
        found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", machine.read(os.path.join(folder, "CMakeCache.txt")), re.M)
        self.include = os.path.join(found.group(1) if found else build.ROOT, "include")

    def existing(self, *parts):
        path = os.path.join(self.folder, *parts)
        return path if os.path.exists(path) else None


def source(name):
    return os.path.join(BENCH, "micro", name + ".c")


def compile_row(row, work, compiler, arguments):
    row["program"] = os.path.join(work, "micro-" + row["name"])
    try:
        build.run([compiler, *FLAGS, *arguments, "-o", row["program"]], work)
    except build.BuildError as error:
        row["error"] = "not built: " + (str(error).splitlines() or ["?"])[1 if "\n" in str(error) else 0][:160]


def rows(freehold, peers, plain_cc, work):
    """All variants, limit first. A row that cannot run has an error that says why."""
    made = {name: {"name": name, "label": label, "kind": kind} for name, label, kind in (
        ("null", "no allocation", "loop"), ("limit", "hand-written limit, inlined", "limit"), ("inlined", "Freehold, inlined from the C header", "inlined"),
        ("rewritten", "Freehold, rewritten by freehold-cc", "rewritten"), ("called", "Freehold, fh_tls_* called in libfreehold.so", "called"),
        ("plain", "glibc", "malloc"))}
    for name in ("null", "limit", "plain"):
        compile_row(made[name], work, plain_cc, [source(name)])
    if freehold.static:
        # The local heap needs the process's malloc to be ours: without a call of it the linker would leave the override out.
        compile_row(made["inlined"], work, plain_cc, ["-DFREEHOLD_STATIC=1", "-I" + freehold.include, source("inlined"), "-Wl,-u,malloc", freehold.static])
    else:
        made["inlined"]["error"] = f"not built: no libfreehold.a in {freehold.folder}/lib"
    if freehold.compiler:
        report = os.path.join(work, "rewritten.json")
        compile_row(made["rewritten"], work, freehold.compiler.path, [source("plain"), f"--freehold-report={report}"])
        counts = build.summary(report) or {}
        if not made["rewritten"].get("error") and not counts.get("rewritten"):
            made["rewritten"]["error"] = f"not rewritten: {counts.get('aside', 'no site was found local')}"[:200]
    else:
        made["rewritten"]["error"] = f"not built: no freehold-cc in {freehold.folder}/bin"
    preloaded = {"name": "freehold", "label": "Freehold, malloc preloaded", "kind": "malloc", "program": made["plain"].get("program")}
    if freehold.shared:
        folder = os.path.dirname(freehold.shared)
        compile_row(made["called"], work, plain_cc, [source("called"), "-L" + folder, "-lfreehold", "-Wl,-rpath," + folder])
        preloaded.update(preload=freehold.shared, tls_model=machine.tls_model(freehold.shared))
    else:
        made["called"]["error"] = preloaded["error"] = f"not built: no libfreehold.so in {freehold.folder}/lib"
    made["plain"]["name"] = "glibc"
    others = [{**peer, "label": peer["label"] + ", preloaded", "kind": "malloc", "program": made["plain"].get("program")} for peer in peers]
    return [*(made[n] for n in ("null", "limit", "inlined", "rewritten", "called")), preloaded, made["plain"], *others]


# Peers compiled into the program: source in bench/fetch, include folders in it, compiler, file, flags.
RIVALS = {
    "mimalloc-3": ("mimalloc3", ("include", "src", "."), "clang-19", "rival-mimalloc.c", ["-DMI_BUILD_RELEASE", "-DMI_STATIC_LIB", "-fno-builtin-malloc"]),
    "rpmalloc": ("rpmalloc", (".",), "clang-19", "rival-rpmalloc.c", []),
    "snmalloc": ("snmalloc", ("src",), "clang++-19", "rival-snmalloc.cc", ["-std=c++20", *(f for f in peers.SNMALLOC if f.startswith(("-m", "-DSN")))]),
}


def add_rivals(variants, names, work):
    """The other allocators that can be inlined too, behind Freehold's own rows: the only ones those may be compared with."""
    for name in RIVALS:
        if name not in names:
            continue
        fetched, includes, compiler, file, flags = RIVALS[name]
        row = {"name": name + "-inlined", "label": f"{name.split('-')[0]} {peers.SOURCES[name][1]}, inlined", "kind": "rival"}
        row["program"] = os.path.join(work, "micro-" + row["name"])
        try:
            folder, _ = peers.source(fetched)
            build.run([compiler, "-O3", "-DNDEBUG", "-w", "-D_GNU_SOURCE", "-pthread", ALIGNED, *(["-std=gnu11"] if file.endswith(".c") else []), *flags,
                       *("-I" + os.path.join(folder, include) for include in includes), os.path.join(BENCH, "micro", file), "-o", row["program"]], work)
        except (build.BuildError, peers.CannotBuild) as error:
            row["error"] = f"not built: {str(error).splitlines()[0][:120]}"
        variants.insert(next(i for i, other in enumerate(variants) if other["kind"] == "malloc"), row)


def instructions(how, row, loop):
    """(instructions of a pair, how they were counted)."""
    pairs = COUNTED[loop]
    if how:
        try:
            once, thrice = (measure.count_instructions(how, row, [loop, str(n), "whole"], 120) for n in (pairs, 3 * pairs))
            return (thrice - once) / (2 * pairs), how
        except measure.Failed:
            pass  # more address space or other thread-local storage than the simulator knows: stepping works there too
    preload = ["env", f"LD_PRELOAD={row['preload']}"] if row.get("preload") else []
    code, out, err = measure.execute([*preload, row["program"], loop, str(STEPPED[loop])], 120)
    if code != 0:
        raise measure.Failed(measure.complaint(code, err))
    return float(out), "stepping"


def count(how, variants, loops, progress):
    """Adds row["instructions"][loop]; two at a time, as nothing is timed."""
    todo = [(row, loop) for row in variants if not row.get("error") for loop in loops]

    def one(entry):
        row, loop = entry
        progress(f"counting instructions: {row['name']} {loop}")
        try:
            row.setdefault("instructions", {})[loop], row.setdefault("counted_by", {})[loop] = instructions(how, row, loop)
        except (measure.Failed, ValueError) as failure:
            row["note"] = f"not counted: {failure}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, todo))


    inlined = next((row for row in variants if row["name"] == "inlined"), {})
    if inlined.get("instructions", {}).get("pair", 0) > CALLED:
        inlined["note"] = "this heap.h does not inline: called in libfreehold.a"


def check_limit(variants):
    limit = next(row for row in variants if row["name"] == "limit")
    for loop, count_ in limit.get("instructions", {}).items():
        if abs(count_ - LIMIT[loop]) > 1:
            raise NotTheLimit(f"the hand-written limit needs {count_:.1f} instructions in the loop '{loop}', not {LIMIT[loop]}: "
                              "this compiler makes other code of it, and nothing measured against it would mean anything")


def time(variants, rounds, timeout, progress):
    """Adds row["times"][loop]: nanoseconds of CPU time of a pair, one figure a round. Each round begins with another row."""
    able = [row for row in variants if not row.get("error")]
    for number in range(rounds):
        for row in able[number % len(able):] + able[:number % len(able)]:
            progress(f"loops: round {number + 1} of {rounds}: {row['name']}")
            preload = ["env", f"LD_PRELOAD={row['preload']}"] if row.get("preload") else []
            try:
                code, out, err = measure.execute([*preload, row["program"]], timeout)
                if code != 0:
                    raise measure.Failed(measure.complaint(code, err))
                for line in out.decode().splitlines():
                    loop, figure = line.split()
                    row.setdefault("times", {}).setdefault(loop, []).append(float(figure))
            except (measure.Failed, ValueError) as failure:
                row["error"], row["failed"] = str(failure), True


def render(variants):
    """Lines of the table: instructions, nanoseconds and ratio to the limit (median of the rounds' ratios) for each loop."""
    width = max(len(row["label"]) for row in variants)
    limit = next(row for row in variants if row["name"] == "limit")
    timed = any(row.get("times") for row in variants)
    head = f"  {'':<{width}}" + "".join(f"  {loop:>6}{'  ns CPU  x limit' if timed else ''}" for loop in LOOPS)
    lines = ["loops: instructions of a malloc/free pair, loop included" + (", CPU time, and its ratio to the limit" if timed else ""), head]
    for row in variants:
        if row.get("error"):
            lines.append(f"  {row['label']:<{width}}  {row['error']}")
            continue
        cells = ""
        for loop in LOOPS:
            counted = row.get("instructions", {}).get(loop)
            cells += f"  {counted:>6.1f}" if counted is not None else f"  {'-':>6}"
            if timed:
                own, base = row.get("times", {}).get(loop), limit.get("times", {}).get(loop)
                ratio = statistics.median(a / b for a, b in zip(own, base)) if own and base else 0
                cells += f"  {statistics.median(own) if own else 0:>6.2f}  {ratio:>7.2f}"
        lines.append(f"  {row['label']:<{width}}{cells}" + (f"  ({row['note']})" if row.get("note") else ""))
    return lines
