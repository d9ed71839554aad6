#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py FOLDER FREEHOLD: stops `freehold analyze` with each signal while its compiler waits for a fifo, and looks what is left in
FOLDER, its TMPDIR. Exit: 0 nothing is, and it ended by the signal."""
import os
import pathlib
import signal
import subprocess
import sys
import time

folder, freehold = pathlib.Path(sys.argv[1]), sys.argv[2]
(folder.parent / "a.c").write_text("int a;\n")
(folder.parent / "b.c").write_text('#include "fifo.h"\nint b;\n')  # the compiler hangs here
fifo = folder.parent / "fifo.h"
if not fifo.exists():
    os.mkfifo(fifo)


def compilers():
    """Processes that work for this run, by number and name: they have its TMPDIR."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"TMPDIR={folder}\0".encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "comm").read_text().strip()
        except OSError:
            pass
    return found


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


bad = 0
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    process = subprocess.Popen([freehold, "analyze", "a.c", "b.c"], cwd=folder.parent, env=dict(os.environ, TMPDIR=str(folder)),
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    if not wait_for(lambda: any(list(place.glob("0.o")) for place in folder.iterdir()) and len(compilers()) > 1):
        print("the compiler did not start")
        bad = 1
    time.sleep(0.3)
    process.send_signal(number)
    code = process.wait()
    if code != -number:
        print(f"{number.name}: ended with {code}")
        bad = 1
    if not wait_for(lambda: not compilers(), 5):
        print(f"{number.name}: still running: {compilers()}")
        bad = 1
        for left in compilers():
            os.kill(left, signal.SIGKILL)
    if left := sorted(str(path.relative_to(folder)) for path in folder.rglob("*")):
        print(f"{number.name}: left behind: {left}")
        bad = 1
sys.exit(bad)
