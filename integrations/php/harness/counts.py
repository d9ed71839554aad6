# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""counts - user instructions of the scripts, build beside build.

They repeat to the fourth digit and need no quiet machine. perf counts where the processor lets it; else valgrind does, some 40 times
slower, so that micro_bench.php then runs a twentieth of its loops (which is said in the table)."""
import hashlib
import os
import re
import shutil
import subprocess

from .builds import Failed, environment, last_line, run

SCRIPTS = ("bench", "micro_bench", "lex", "objects")
TIMEOUT = 3600


def have_counters():
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "--", "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and bool(re.search(r"^\d+,", done.stderr, re.M))


def counter():
    if have_counters():
        return "perf"
    if shutil.which("valgrind"):
        return "callgrind"
    raise Failed("neither perf has counters here nor is valgrind installed (apt-get install valgrind)")


def prepared(work, name, how):
    """The script, and what was made smaller in it."""
    path = work.script(name)
    if how == "perf" or name != "micro_bench":
        return path, ""
    text, changed = re.subn(r"const N = 5000000;", "const N = 250000;", path.read_text())
    if changed != 1:
        raise Failed(f"{path} is not the micro_bench.php that can be made smaller")
    small = work.scratch("scripts") / "micro_bench_small.php"
    small.write_text(text)
    return small, "N = 250,000 instead of 5,000,000"


def host(work, build):
    """The program that loads a build's libphp.so by dlopen and runs a script in it, compiled against that build's own headers."""
    include = work.folder / build / "include" / "php"
    if not include.exists():
        raise Failed(f"{build} has no headers in {include}: build.sh --parts cli,embed {work.folder} {build}")
    target = work.scratch("hosts") / build
    source = __file__.rsplit("/", 2)[0] + "/embed.c"
    flags = [f"-I{include}"] + [f"-I{include}/{sub}" for sub in ("main", "Zend", "TSRM")]
    code, output = run([*os.environ.get("CC", "cc").split(), "-O2", "-D_GNU_SOURCE", *flags, source, "-o", target, "-ldl"], 300)
    if code != 0:
        raise Failed(f"the embedding host does not compile against {build}: {last_line(output)}")
    return [target, work.library(build)]


def digest(output):
    """The scripts print times and differences of times, padded to a column; all else must be the same in every build."""
    return hashlib.sha256(re.sub(r"-?\d[\d,]*\.\d+|==[0-9]+==.*|\s+", "", output).encode()).hexdigest()[:12]


def count(work, how, command):
    if how == "perf":
        tool, pattern = ["perf", "stat", "-x,", "-e", "instructions:u", "--"], r"^(\d+),"
    else:
        # The file is not wanted, only the sum; children are not PHP.
        tool, pattern = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=no"], r"Collected : (\d+)"
    # Addresses are hashed here and there: without randomisation a count repeats exactly.
    command = ["setarch", "-R", *work.under, *tool, *command]
    code, output = run(command, TIMEOUT, env=environment(USE_ZEND_ALLOC="1"))
    found = re.search(pattern, output, re.M)
    if code != 0 or not found:
        raise Failed(last_line(output))
    return int(found.group(1)), digest(output)


def measure(work, builds, scripts, progress, library=False):
    """{script: {"note", "rows": {build: {"instructions" or "error"}}}}; the first build is what the others are compared with."""
    how, table = counter(), {}
    for name in scripts:
        script, note = prepared(work, name, how)
        rows, seen = {}, None
        for build in builds:
            progress(f"{name}, {build}{', dlopened libphp.so' if library else ''}: counting by {how}")
            try:
                program = host(work, build) if library else [work.php(build), "-n"]
                number, printed = count(work, how, [*program, script])
                seen = seen or printed
                if printed != seen:
                    raise Failed(f"prints something else than {builds[0]}")
                rows[build] = {"instructions": number}
            except Failed as failure:
                rows[build] = {"error": str(failure)}
        table[name] = {"note": note, "counter": how, "rows": rows}
    return table
