# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""measure - alternating runs of the same work under each allocator, and instruction counts where asked."""
import hashlib, os, re, shutil, signal, subprocess, tempfile

CHECKSUM = re.compile(rb"checksum (\S+)")
# What would change an allocator's behaviour behind the reader's back.
UNWANTED = ("LD_PRELOAD", "MALLOC_", "MIMALLOC_", "FREEHOLD_", "GLIBC_TUNABLES", "JEMALLOC_", "SNMALLOC_", "TCMALLOC_",
            "TBB_MALLOC_", "RPMALLOC_")


class Failed(Exception):
    pass


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(UNWANTED)}


def digest(output):
    """What must be equal between allocators: the checksum the program prints, else all it prints."""
    found = CHECKSUM.search(output)
    return found.group(1).decode() if found else hashlib.sha256(output).hexdigest()[:16]


def execute(command, timeout, pass_fds=()):
    """stdout and stderr of a command in a process group of its own, which is ended as a whole when it takes too long."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=clean_environment(), pass_fds=pass_fds, start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"took longer than {timeout} s") from None
    return process.returncode, out, err


def complaint(code, err):
    text = err.decode(errors="replace").strip().splitlines()
    code = 128 - code if code < 0 else code
    how = f"signal {code - 128} ({signal.Signals(code - 128).name})" if 128 < code < 160 else f"exit code {code}"
    return how + (f": {text[-1][:200]}" if text else "")


def run_once(launch, row, command, timeout, expect=0, touched=0):
    """One run: wall, CPU, peak memory, digest of its output. touched: megabytes that another process uses just before."""
    read, write = os.pipe()
    environment = [f"LD_PRELOAD={row['preload']}"] if row.get("preload") else []
    try:
        before = ["-t", str(touched)] if touched else []
        code, out, err = execute([launch, str(write), *before, *environment, "--", row["program"], *command], timeout, (write,))
        os.close(write)
        write = -1
        with os.fdopen(read) as pipe:
            read = -1
            fields = pipe.read().split()
    finally:
        for fd in (read, write):
            if fd >= 0:
                os.close(fd)
    if len(fields) != 5:
        raise Failed(complaint(code, err))
    wall, user, system, peak, status = (float(f) for f in fields)
    if row.get("preload") and b"cannot be preloaded" in err:
        raise Failed("the library cannot be preloaded: " + err.decode(errors="replace").strip()[:200])
    if int(status) != expect:
        raise Failed(complaint(int(status), err))
    return {"wall": wall, "cpu": user + system, "peak_kb": int(peak), "digest": digest(out)}


def alternate(launch, rows, command, rounds, timeout, progress):
    """Rounds of one run per row; each round begins with another row, so that nobody always runs after the same neighbour."""
    for row in rows:
        row["runs"] = []
    able = [row for row in rows if not row.get("error")]
    for number in range(rounds):
        for row in able[number % len(able):] + able[:number % len(able)]:
            if row.get("error"):
                continue
            progress(f"round {number + 1} of {rounds}: {row['name']}")
            try:
                row["runs"].append(run_once(launch, row, command, timeout))
            except Failed as failure:
                row["error"] = str(failure)
                row["failed"] = True


def have_counters():
    """Can perf count user instructions here? Many virtual machines have no counters."""
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "--", "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "not supported" not in done.stderr and "not counted" not in done.stderr


def counter():
    if have_counters():
        return "perf"
    return "callgrind" if shutil.which("valgrind") else None


def count_instructions(how, row, command, timeout):
    """Instructions of one run in user space. callgrind runs the threads one after the other and counts the same."""
    preload = ["env", f"LD_PRELOAD={row['preload']}"] if row.get("preload") else []
    if how == "perf":
        code, _, err = execute(["perf", "stat", "-x,", "-e", "instructions:u", "--", *preload, row["program"], *command], timeout)
        found = re.search(rb"^(\d+),", err, re.M)
    else:
        with tempfile.TemporaryDirectory() as folder:
            tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--trace-children=no"]
            code, _, err = execute([*preload, *tool, row["program"], *command], timeout)
        found = re.search(rb"Collected : (\d+)", err)
    if code != 0 or not found:
        raise Failed(complaint(code, err))
    return int(found.group(1))
