# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clock - CPU time of the scripts, in rounds of alternating turns.

Ratios are taken within a round, so that a slower minute of the machine weighs on all builds alike; the median of the rounds counts. In each
turn a build runs linked at another place (places.py), and all places count alike. A script of little time runs more often, until a round has
LEAST seconds: one run of it would say little."""
import os
import statistics
import subprocess

from . import counts, places
from .builds import Failed, environment

LEAST = 0.5


def spent(work, program, script):
    """(user, user and system), seconds; many kernels sample how a process's time is split."""
    command = [*work.under, str(program), "-n", str(script)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{program} ended with {process.returncode} on {script.name}")
    return usage.ru_utime, usage.ru_utime + usage.ru_stime


def one_round(work, programs, script, shift):
    """{build: (user, user and system)}, sums of as many turns at each place as the first build needs for LEAST seconds."""
    builds, total = list(programs), {build: (0.0, 0.0) for build in programs}
    turns = max(map(len, programs.values()))
    while total[builds[0]][1] < LEAST:
        for turn in range(turns):
            start = (shift + turn) % len(builds)
            for build in builds[start:] + builds[:start]:
                mine = programs[build]
                total[build] = tuple(map(sum, zip(total[build], spent(work, mine[turn % len(mine)], script))))
    return total


def measure(work, builds, scripts, rounds, progress):
    """{script: {"note", "rounds", "rows": {build: {"seconds", "ratio", "spread", "cpu_ratio"}}}}: seconds of a round, ratios to the first build;
    user time, cpu_ratio that of user and system time."""
    table, programs = {}, {}
    for build in builds:
        progress(f"{build}: linking")
        programs[build] = places.programs(work, build)
    for name in scripts:
        script, note = counts.prepared(work, name, "time")
        found = []
        try:
            for number in range(rounds):
                progress(f"{name}: round {number + 1} of {rounds}")
                found.append(one_round(work, programs, script, number))
        except Failed as failure:
            table[name] = {"note": note, "rows": {build: {"error": str(failure)} for build in builds}}
            continue
        rows = {}
        for build in builds:
            user, cpu = ([each[build][kind] / each[builds[0]][kind] for each in found] for kind in (0, 1))
            rows[build] = {"seconds": statistics.median(each[build][0] for each in found), "ratio": statistics.median(user),
                           "spread": [min(user), max(user)], "cpu_ratio": statistics.median(cpu), "places": len(programs[build])}
        table[name] = {"note": note, "rounds": rounds, "rows": rows}
    return table
