# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clock - user CPU time of the scripts, in rounds of one run per build, each round begun by another build.

Ratios are taken within a round, so that a slower minute of the machine weighs on all builds alike; the median of the rounds counts."""
import os
import statistics
import subprocess

from .builds import Failed, environment


def user_seconds(work, build, script):
    command = [*work.under, str(work.php(build)), "-n", str(script)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{build} ended with {process.returncode} on {script.name}")
    return usage.ru_utime


def measure(work, builds, scripts, rounds, progress):
    """{script: {"rows": {build: {"seconds", "ratio", "spread"}}}}, ratios to the first build."""
    table = {}
    for name in scripts:
        script = work.script(name)
        times = {build: [] for build in builds}
        try:
            for number in range(rounds):
                progress(f"{name}: round {number + 1} of {rounds}")
                shift = number % len(builds)
                for build in builds[shift:] + builds[:shift]:
                    times[build].append(user_seconds(work, build, script))
        except Failed as failure:
            table[name] = {"rows": {build: {"error": str(failure)} for build in builds}}
            continue
        rows = {}
        for build in builds:
            ratios = [mine / first for mine, first in zip(times[build], times[builds[0]])]
            rows[build] = {"seconds": statistics.median(times[build]), "ratio": statistics.median(ratios),
                           "spread": [min(ratios), max(ratios)]}
        table[name] = {"rows": rows, "rounds": rounds}
    return table
