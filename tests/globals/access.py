#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""access.py LIBDIR INCLUDE GENERATED WORKDIR COMPILER... - counts the instructions of accesses in every mode, in executables (PIE and not) and
in shared libraries, after the link, and compares them with a plain global's.

Four accesses are with barriers between, so that what is not an address is loaded anew each time; calm are four without. By value: with
FH_G_VALUE; kept: after FH_GLOBALS_KEEP. A COMPILER with ++ in its name compiles the same as C++. Kept: static in an executable is a plain global; cached one more an
access; gs in a library at most a plain global's, with barriers only by value, which g++ does not have, or kept; an atomic load as one access.
Exit: 0 kept, 1 broken, 77 no objdump."""
import pathlib
import re
import shutil
import subprocess
import sys

MODES = ["static", "gs", "cached", "pointer", "passed", "classic"]
HERE = pathlib.Path(__file__).resolve().parent
# function: its accesses
ACCESSES = {"mode_one": 1, "mode_four": 4, "mode_calm": 4, "mode_flag": 1, "value_one": 1, "value_four": 4, "kept_one": 1, "kept_four": 4}
# instructions that an access may take more than a plain global's
KEPT = {("static", "exe"): 0, ("static", "pie"): 0, ("cached", "exe"): 1, ("cached", "pie"): 1, ("gs", "so"): 0}
KINDS = {"exe": (["-fno-pie"], ["-no-pie"]), "pie": (["-fpie"], ["-pie"]), "so": (["-fPIC", "-DFREEHOLD_GLOBALS_DSO=1"], ["-shared"])}


def instructions(file):
    """Instructions of each function, but for padding and `endbr64`."""
    counts, name = {}, None
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(file)], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(\w+)>:$", line):
            name = m.group(1)
        elif name and re.match(r"\s+[0-9a-f]+:\s+\S", line):
            if not re.search(r":\s+(nop|endbr|data16|xchg\s+%ax,%ax|cs nop|int3|lea\s+0x0\(%)", line):
                counts[name] = counts.get(name, 0) + 1
    return counts


def main():
    libdir, include, generated, work = map(pathlib.Path, sys.argv[1:5])
    if not shutil.which("objdump"):
        print("skipped: there is no objdump")
        return 77
    work.mkdir(parents=True, exist_ok=True)
    broken = 0
    for compiler in sys.argv[5:]:
        if not shutil.which(compiler):
            print(f"{compiler}: not installed, not tested")
            continue
        print(f"{compiler:10} {'mode':8} {'':4}  one, four, calm, atomic load (a plain global's); by value: one, four; kept: one, four")
        for mode in MODES:
            for kind, (cflags, ldflags) in KINDS.items():
                flags = ["-O2", "-fcf-protection=none", "-I", include, "-I", generated, f"-DFREEHOLD_GLOBALS_{mode.upper()}=1", *cflags]
                out = work / f"{pathlib.Path(compiler).name}-{mode}-{kind}"
                objects = []
                for part in ("PLAIN_DEFINITIONS", "ACCESS_ENGINE"):
                    objects.append(out.with_suffix(f".{part}.o"))
                    language = ["-x", "c++"] if "++" in compiler else []
                    subprocess.run([compiler, *flags, *language, f"-D{part}", "-c", HERE / "access_code.c", "-o", objects[-1]], check=True)
                subprocess.run([compiler, *ldflags, *objects, libdir / f"libfreehold-tsrm-{mode}.a", "-o", out, "-pthread"], check=True)
                n = instructions(out)
                print(f"{compiler:10} {mode:8} {kind:4}" + "".join(f"  {n[f] - 1:2} ({n['plain_' + f.split('_')[1]] - 1})" for f in ACCESSES))
                without_value = ("mode_four", "value_four") if pathlib.Path(compiler).name.startswith("g++") else ("mode_four",)
                extra = KEPT.get((mode, kind))
                over = [f for f, accesses in ACCESSES.items() if extra is not None and not (mode == "gs" and f in without_value)
                        and n[f] > n["plain_" + f.split("_")[1]] + extra * accesses]
                if over:
                    print(f"BROKEN: {compiler}, {mode}, {kind}: more than a plain global's + {extra} an access: {', '.join(over)}")
                    broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
