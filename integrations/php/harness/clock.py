# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clock - CPU time of the scripts, in rounds, each begun by another build.

Ratios are taken within a round, so that a slower minute of the machine weighs on all builds alike; the median of the rounds counts.
A script of less than LEAST seconds runs several times in a round, in turns: one run of it would say little."""
import os
import statistics
import subprocess

from .builds import Failed, environment

LEAST = 0.5


def spent(work, build, script):
    """(user, user and system): many kernels sample how a process's time is split, so a short run's user time is rough."""
    command = [*work.under, str(work.php(build)), "-n", str(script)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{build} ended with {process.returncode} on {script.name}")
    return usage.ru_utime, usage.ru_utime + usage.ru_stime


def one_round(work, builds, script, shift):
    """{build: (user, user and system)}, sums of as many turns as the first build needs for LEAST seconds."""
    total = {build: (0.0, 0.0) for build in builds}
    while total[builds[0]][1] < LEAST:
        start = shift % len(builds)
        for build in builds[start:] + builds[:start]:
            total[build] = tuple(map(sum, zip(total[build], spent(work, build, script))))
        shift += 1
    return total


def measure(work, builds, scripts, rounds, progress):
    """{script: {"rows": {build: {"seconds", "ratio", "spread", "cpu_ratio"}}}}: user time as share of the first build's; cpu_ratio is that of
    user and system time."""
    table = {}
    for name in scripts:
        found = []
        try:
            for number in range(rounds):
                progress(f"{name}: round {number + 1} of {rounds}")
                found.append(one_round(work, builds, work.script(name), number))
        except Failed as failure:
            table[name] = {"rows": {build: {"error": str(failure)} for build in builds}}
            continue
        rows = {}
        for build in builds:
            user, cpu = ([each[build][kind] / each[builds[0]][kind] for each in found] for kind in (0, 1))
            rows[build] = {"seconds": statistics.median(each[build][0] for each in found), "ratio": statistics.median(user),
                           "spread": [min(user), max(user)], "cpu_ratio": statistics.median(cpu)}
        table[name] = {"rows": rows, "rounds": rounds}
    return table
