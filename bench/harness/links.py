# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""links - a program's whole link by freehold-cc against the same link by clang -flto=full with lld, and what each makes. The words
are those that the program's own build used; the folders are as that build left them."""
import os, statistics, subprocess

from . import build, measure, verdict

TIMES = (1.10, 0.1)  # at most so many times clang's, or so many seconds more where that is larger
MEMORY = 1.10
SIZE = 1.15


def launcher(scratch):
    program = os.path.join(scratch, "launch")
    if not os.path.exists(program):
        build.run(["clang-19", "-O2", os.path.join(build.BENCH, "harness", "launch.c"), "-o", program], scratch)
    return program


def with_output(words, output):
    """The same link with another output."""
    at = words.index("-o")
    return [*words[:at], "-o", output, *words[at + 2:]]


def size_of(program):
    """Bytes of code and data: what debug information and symbols take is no matter here."""
    done = subprocess.run(["size", program], capture_output=True, text=True, check=True)
    text, data = done.stdout.splitlines()[1].split()[:2]
    return int(text) + int(data)


def commands(row, made, plain, home, scratch):
    """{name: (folder, command)}; the heap is the archive that freehold-cc links"""
    found = {}
    for name, of in (("freehold", made), ("clang", plain)):
        folder, words = of.link(row)
        found[name] = (folder, [*of.compilers(home)[of.subject.cxx], *with_output(words, os.path.join(scratch, "linked-" + name))])
    folder, command = found["clang"]
    archive = os.path.join(home, "lib", "libfreehold.a" if plain.subject.cxx else "libfreehold-c.a")
    found["clang with the heap"] = (folder, [*with_output(command, os.path.join(scratch, "linked-clang with the heap")), archive])
    return found


def compare(row, made, plain, home, scratch, rounds, timeout, progress):
    """Medians of alternating links, and the sizes."""
    runs, launch = {}, launcher(scratch)
    every = commands(row, made, plain, home, scratch)
    try:
        for number in range(rounds):
            for name, (folder, command) in every.items():
                if number and name == "clang with the heap":
                    continue  # for its size
                progress(f"linking {row} by {name}, {number + 1} of {rounds}")
                entry = measure.run_once(launch, {"program": "sh"}, ["-c", 'cd "$0" && exec "$@"', folder, *command], timeout)
                runs.setdefault(name, []).append(entry)
        sizes = {name: size_of(os.path.join(scratch, "linked-" + name)) for name in every}
    except (measure.Failed, subprocess.CalledProcessError, OSError) as failure:
        return {"failed": str(failure)}
    figures = {name: {key: statistics.median(run[key] for run in of) for key in ("wall", "cpu", "peak_kb")} for name, of in runs.items()}
    return {"figures": figures, "sizes": sizes, "runs": runs}


def ratio(result, key):
    return result["figures"]["freehold"][key] / result["figures"]["clang"][key]


def judge(rows):
    lines = []
    linked = {row["name"]: row["link"] for row in rows if row.get("link") and "figures" in row["link"]}
    if not linked:
        return lines
    slow = [name for name, r in linked.items() if r["figures"]["freehold"]["cpu"] > max(TIMES[0] * r["figures"]["clang"]["cpu"], r["figures"]["clang"]["cpu"] + TIMES[1])]
    large = [name for name, r in linked.items() if ratio(r, "peak_kb") > MEMORY]
    fat = [name for name, r in linked.items() if r["sizes"]["freehold"] > SIZE * r["sizes"]["clang with the heap"]]
    for above, what in ((slow, f"CPU time of the link at most {TIMES[0]:g} times clang's with -flto=full, or {TIMES[1]:g} s more"),
                        (large, f"peak memory of the link at most {MEMORY:g} times clang's"),
                        (fat, f"code and data at most {SIZE:g} times those of clang's link with the heap's archive")):
        lines.append(verdict.line(not above, f"{what}, {len(linked)} programs", ("above: " + ", ".join(above)) if above else "all"))
    return lines


def render(rows):
    lines = []
    for row in rows:
        result = row.get("link")
        if not result:
            continue
        if result.get("failed"):
            lines.append(f"{row['name']:<15} {result['failed']}")
            continue
        own, other, sizes = result["figures"]["freehold"], result["figures"]["clang"], result["sizes"]
        lines.append(f"{row['name']:<15}{own['cpu']:>8.2f}{other['cpu']:>8.2f}{ratio(result, 'cpu'):>7.2f}x{own['peak_kb'] / 1024:>8.0f}{other['peak_kb'] / 1024:>8.0f}"
                     f"{ratio(result, 'peak_kb'):>7.2f}x{sizes['freehold'] / 1024:>8.0f}{sizes['clang with the heap'] / 1024:>8.0f}{sizes['clang'] / 1024:>8.0f}"
                     f"{sizes['freehold'] / sizes['clang with the heap']:>7.2f}x")
    head = (f"{'program':<15}{'CPU s':>8}{'clang':>8}{'':>8}{'MB':>8}{'clang':>8}{'':>8}{'KB':>8}{'+heap':>8}{'clang':>8}")
    return ["the whole link by freehold-cc and by clang -flto=full; code and data, clang's with the heap's archive and without", head, *lines] if lines else []
