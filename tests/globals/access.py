#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""access.py LIBDIR INCLUDE GENERATED WORKDIR COMPILER... - counts the instructions of accesses in every mode, in executables (PIE and not) and
in shared libraries, after the link, and compares them with a plain global's.

Four accesses are with barriers between, so that what is not an address is loaded anew each time; calm are four without. By value: with
FH_G_VALUE; kept: after FH_GLOBALS_KEEP; RFC: TSRMG of what TSRMG_D defines. A COMPILER with ++ in its name compiles the same as C++.
Kept: static in an executable is a plain global; cached one more an access; gs in a library at most a plain global's, with barriers only by
value, which g++ does not have, or kept; an atomic load as one access. The RFC's have limits of their own. Nothing calls a function, and the file
that has the definitions, before or behind its accesses, counts as another file does.
Exit: 0 kept, 1 broken, 77 no objdump."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

MODES = ["static", "gs", "cached", "pointer", "passed", "classic"]
HERE = pathlib.Path(__file__).resolve().parent
# function: its accesses
ACCESSES = {"mode_one": 1, "mode_four": 4, "mode_calm": 4, "mode_flag": 1, "value_one": 1, "value_four": 4, "kept_one": 1, "kept_four": 4}
RFC = ("rfc_one", "rfc_four")
# instructions that an access may take more than a plain global's
KEPT = {("static", "exe"): 0, ("static", "pie"): 0, ("cached", "exe"): 1, ("cached", "pie"): 1, ("gs", "so"): 0}
# one and four accesses to what TSRMG_D defines, at most; the others go through the table of ids
RFC_KEPT = {("static", "exe"): (1, 4), ("static", "pie"): (1, 4), ("passed", "exe"): (3, 9), ("passed", "pie"): (3, 9)}
for _mode in ("gs", "cached", "pointer"):
    RFC_KEPT |= {(_mode, "exe"): (2, 8), (_mode, "pie"): (2, 8), (_mode, "so"): (4, 10)}
RFC_KEPT[("static", "so")] = (4, 10)
KINDS = {"exe": (["-fno-pie"], ["-no-pie"]), "pie": (["-fpie"], ["-pie"]), "so": (["-fPIC", "-DFREEHOLD_GLOBALS_DSO=1"], ["-shared"])}
# where the definitions are: the objects of a program
PLACES = {"ONLY": ["OTHER", "ONLY"], "FIRST": ["FIRST"], "LAST": ["LAST"]}


def instructions(file):
    """Instructions of each function, but for padding and `endbr64`; and the functions that call one."""
    counts, calls, name = {}, set(), None
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(file)], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(\w+)>:$", line):
            name = m.group(1)
        elif name and re.match(r"\s+[0-9a-f]+:\s+\S", line):
            if re.search(r"\scall", line):
                calls.add(name)
            if not re.search(r":\s+(nop|endbr|data16|xchg\s+%ax,%ax|cs nop|int3|lea\s+0x0\(%)", line):
                counts[name] = counts.get(name, 0) + 1
    return counts, calls


def linked(compiler, mode, kind, place, libdir, include, generated, work):
    """The program of one compiler, mode, kind and place of the definitions, as instructions() sees it."""
    cflags, ldflags = KINDS[kind]
    flags = ["-O2", "-fcf-protection=none", "-I", include, "-I", generated, f"-DFREEHOLD_GLOBALS_{mode.upper()}=1", *cflags]
    flags += ["-x", "c++"] if "++" in compiler else []
    out = work / f"{pathlib.Path(compiler).name}-{mode}-{kind}-{place}"
    objects = []
    for part in ["PLAIN_DEFINITIONS", *(f"DEFINITIONS_{object}" for object in PLACES[place])]:
        objects.append(out.with_suffix(f".{part}.o"))
        subprocess.run([compiler, *flags, f"-D{part}", "-c", HERE / "access_code.c", "-o", objects[-1]], check=True)
    subprocess.run([compiler, *ldflags, *objects, libdir / f"libfreehold-tsrm-{mode}.a", "-o", out, "-pthread"], check=True)
    return instructions(out)


def broken(compiler, mode, kind, found):
    """Sentences about what is not kept; found: the place of the definitions, and instructions() there."""
    n, _ = found["ONLY"]
    plain = {f: n["plain_" + f.split("_")[1]] for f in ACCESSES}
    without_value = ("mode_four", "value_four") if pathlib.Path(compiler).name.startswith("g++") else ("mode_four",)
    extra = KEPT.get((mode, kind))
    over = [f for f, accesses in ACCESSES.items()
            if extra is not None and not (mode == "gs" and f in without_value) and n[f] > plain[f] + extra * accesses]
    if over:
        yield f"more than a plain global's + {extra} an access: {', '.join(over)}"
    limits = RFC_KEPT.get((mode, kind))
    if limits and any(n[f] - 1 > limit for f, limit in zip(RFC, limits)):
        yield f"TSRMG takes {'/'.join(str(n[f] - 1) for f in RFC)} instructions, not {limits[0]}/{limits[1]}"
    for place, (counts, calls) in found.items():
        ours = [f for f in (*ACCESSES, *RFC) if f in calls]
        if ours:
            yield f"definitions {place}: a call in {', '.join(ours)}"
        more = [f"{f} {counts[f] - 1} ({n[f] - 1})" for f in (*ACCESSES, *RFC) if counts[f] > n[f]]
        if more:
            yield f"definitions {place}: more than in another file: {', '.join(more)}"


def main():
    libdir, include, generated, work = map(pathlib.Path, sys.argv[1:5])
    if not shutil.which("objdump"):
        print("skipped: there is no objdump")
        return 77
    work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for compiler in sys.argv[5:]:
        if not shutil.which(compiler):
            print(f"{compiler}: not installed, not tested")
            continue
        print(f"{compiler:10} {'mode':8} {'':4}  one, four, calm, atomic load (a plain global's); by value: one, four; kept: one, four; "
              "TSRMG: one, four, one of an id that nothing declares")
        jobs = [(mode, kind, place) for mode in MODES for kind in KINDS for place in PLACES if place != "LAST" or kind == "so"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: linked(compiler, *job, libdir, include, generated, work), jobs))
        for mode in MODES:
            for kind in KINDS:
                found = {job[2]: result for job, result in zip(jobs, results) if job[:2] == (mode, kind)}
                n, _ = found["ONLY"]
                print(f"{compiler:10} {mode:8} {kind:4}" + "".join(f"  {n[f] - 1:2} ({n['plain_' + f.split('_')[1]] - 1})" for f in ACCESSES)
                      + "".join(f"  {n[f] - 1:2}" for f in (*RFC, "undeclared_one") if f in n))
                for sentence in broken(compiler, mode, kind, found):
                    print(f"BROKEN: {compiler}, {mode}, {kind}: {sentence}")
                    failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
