#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""terminal.py TERM=NAME COMMAND...: runs it on a terminal of that kind and prints what it wrote there."""
import os
import pty
import sys

os.environ["TERM"] = sys.argv[1].partition("=")[2]


def read(descriptor):
    return os.read(descriptor, 65536)


sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read)))
