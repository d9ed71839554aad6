#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""atomics.py OBJDUMP FILE... - no local path has a locked instruction, an exchange with memory or a fence.

FILE is libfreehold.so, libfreehold.a, or an object whose fast paths are inlined. In the libraries it walks the call graph from every
fh_tls_* and fh_heap_* function, marks and resets included, and looks at every function it meets; in an object it looks at all of them.
It stops at what is not a local path: functions that take the global lock (memory comes from the system there, heaps are made), shared
and remote blocks (what shared heaps keep and exchange too), blocks of other allocators, the owner check's tables, and lines written on
the way to abort. Exit: 0 clean, 1 not."""
import re
import subprocess
import sys

NOT_LOCAL = re.compile(r"^(make_local_heap|fhi_(lock|orphan|outboxes|unlock|remote|keep|depot|shared|stop|foreign|other|front|os|line|options|hardened|sites)|fh_check)")
ROOT = re.compile(r"^fh_(tls|heap)_\w+$|^fh_is_local$")
BAD = re.compile(r"^(lock\b|mfence|lfence|sfence|cmpxchg|xadd|xchg\w*\s.*\()")
FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
TARGET = re.compile(r"^(?:call|jmp|j\w+)\S*\s+([0-9a-f]+) <([^>+]+)(?:\+0x[0-9a-f]+)?>")
RELOCATION = re.compile(r"^R_X86_64_(?:PLT32|PC32|GOTPCREL\w*)\s+([\w.]+)(?:[-+]0x[0-9a-f]+)?$")


class Function:
    def __init__(self, name):
        self.name, self.bad, self.calls, self.named_calls = name, [], set(), set()


def read(objdump, path):
    """{(unit, address): Function}, {name: key} of the last one by that name; a unit is a library or a member of an archive."""
    text = subprocess.run([objdump, "-dr", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    functions, by_name, unit, section, here = {}, {}, path, "", None
    branch = False
    for line in text.splitlines():
        if ":     file format" in line:
            unit = line.split(":")[0]
        elif line.startswith("Disassembly of section"):
            section = line.split()[-1]
        elif m := FUNCTION.match(line):
            here = Function(m.group(2))
            key = (unit, section, int(m.group(1), 16))
            functions[key] = by_name[m.group(2)] = here
            here.unit, here.section = unit, section
        elif here and (m := LINE.match(line)):
            instruction = m.group(2)
            if r := RELOCATION.match(instruction):
                if branch:
                    here.named_calls.add(r.group(1))
                continue
            branch = instruction.startswith(("call", "j"))
            if BAD.match(instruction):
                here.bad.append(instruction)
            if t := TARGET.match(instruction):
                here.calls.add((unit, section, int(t.group(1), 16)))
                here.named_calls.add(t.group(2).split("@")[0])
    return functions, by_name


def walk(functions, by_name):
    """All functions on local paths."""
    todo = [f for f in functions.values() if ROOT.match(f.name)]
    seen = set()
    while todo:
        f = todo.pop()
        if f in seen or NOT_LOCAL.match(f.name) or "fhi_lock" in f.named_calls:
            continue
        seen.add(f)
        for key in f.calls:
            if key in functions:
                todo.append(functions[key])
        for name in f.named_calls:
            # A static function of the same unit goes before another unit's.
            same = [g for k, g in functions.items() if k[0] == f.unit and g.name == name]
            if same or name in by_name:
                todo.append(same[0] if same else by_name[name])
    return seen


def main():
    objdump, files, failed = sys.argv[1], sys.argv[2:], 0
    for path in files:
        functions, by_name = read(objdump, path)
        if path.endswith(".o"):
            local = set(functions.values())
            wanted = ["pair"]
        else:
            local = walk(functions, by_name)
            wanted = ["fh_tls_malloc", "fh_tls_free", "fh_tls_free_sized", "fh_heap_malloc", "fh_heap_mark", "fh_heap_reset",
                      "fhi_page_malloc", "fhi_page_look", "fhi_run_take", "fhi_large_malloc", "fhi_realloc"]
            # Where there are some, they are found: else the test would say nothing.
            if not any(f.bad for f in functions.values()):
                print(f"FAILED: {path}: no atomic instruction anywhere, which cannot be")
                failed = 1
        names = {f.name for f in local}
        for name in wanted:
            if name not in names:
                print(f"FAILED: {path}: {name} is not there")
                failed = 1
        for f in sorted(local, key=lambda f: f.name):
            for instruction in f.bad:
                print(f"FAILED: {path}: {f.name}: {instruction}")
                failed = 1
        print(f"{path}: {len(local)} functions: {' '.join(sorted(names))}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
