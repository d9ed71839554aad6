#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""globals.py DOCTOR.json SOURCE WORKDIR COMPILER... - builds SOURCE as `freehold doctor` says, in each mode, and runs it."""
import json
import pathlib
import shutil
import subprocess
import sys

LOADER = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).count())"
modes = json.load(open(sys.argv[1]))["globals"]["modes"]
source, work = sys.argv[2], pathlib.Path(sys.argv[3])
work.mkdir(parents=True, exist_ok=True)
for compiler in filter(shutil.which, sys.argv[4:]):
    for name, mode in modes.items():
        program, library = work / f"{compiler}-{name}", work / f"{compiler}-{name}.so"
        subprocess.run([compiler, "-O2", "-DMAIN", *mode["cflags"].split(), source, "-o", program, *mode["libs"].split()], check=True)
        subprocess.run([compiler, "-O2", *mode["dso_cflags"].split(), "-shared", source, "-o", library, *mode["dso_libs"].split()], check=True)
        ran = subprocess.run([program], check=False).returncode
        loaded = subprocess.run([sys.executable, "-c", LOADER, library], check=False).returncode
        print(f"{compiler} {name} executable: {ran}, library: {loaded}")
