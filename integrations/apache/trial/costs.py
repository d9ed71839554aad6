# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""costs - what a request costs: instructions by callgrind, and CPU time."""
import re
import statistics

from harness.builds import Failed, last_line

from .checks import Load
from .httpd import Httpd

# Only what happens within a connection counts: not the start, nor the end, which in a threaded server depends on time.
CALLGRIND = ("setarch", "-R", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
             "--toggle-collect=ap_run_process_connection")
TURNS = 4


def count(tools, build, mpm, page, requests):
    """Instructions of so many requests to an apache2 of one process."""
    with Httpd(tools.fresh(), tools.pages, tools.module(build), mpm, processes=1, threads=1, under=CALLGRIND, single=True) as httpd:
        Load(tools.load, httpd.port, tools.page(page), requests, clients=1).finish()
    # How it ends is told but not judged: a single process may be ended by PHP's handling of signals, or crash at its very end
    # (README.md).
    found = re.search(r"Collected : (\d+)", httpd.said())
    if not found:
        raise Failed(f"apache2 under callgrind: {last_line(httpd.said())}")
    return int(found.group(1)), httpd.process.returncode


def instructions(tools, builds, pages, requests, progress):
    """{page: {"BUILD, MPM": per request}}: the difference between N requests and 2 N, without what the first ones warm up. PHP that is not thread-safe runs in prefork alone; there
    the others are counted too, so that PHP is all that differs."""
    table = {}
    for page in pages:
        rows = table.setdefault(page, {})
        for mpm in ("prefork", "event"):
            for build in builds:
                if mpm != "prefork" and build == "nts":
                    continue
                progress(f"instructions of {page}, {build}, {mpm}")
                try:
                    (once, _), (twice, ended) = (count(tools, build, mpm, page, n) for n in (requests, 2 * requests))
                    rows[f"{build}, {mpm}"] = {"instructions": (twice - once) / requests, "ended": ended}
                except Failed as failure:
                    rows[f"{build}, {mpm}"] = {"error": str(failure)}
    return table


def times(tools, builds, page, requests, rounds, progress):
    """CPU time a request, the servers side by side: {"rows": {"BUILD, MPM": {"user", "cpu", ...}}}, against the first, nts in prefork.

    Each round starts all servers anew, since where libraries and heaps come to lie is worth some per cent and stays for a process's
    life; then they take turns, a few short ones each. Ratios are taken within a round; the median of the rounds counts."""
    names = [(build, mpm) for mpm in ("prefork", "event") for build in builds if mpm == "prefork" or build != "nts"]
    taken = {f"{build}, {mpm}": [] for build, mpm in names}
    for number in range(rounds):
        progress(f"CPU time: round {number + 1} of {rounds}")
        for name, spent in one_round(tools, names, page, requests, number).items():
            taken[name].append(spent)
    first, rows = next(iter(taken.values())), {}
    for name, found in taken.items():
        rows[name] = {}
        for index, kind in enumerate(("user", "cpu")):
            ratios = [mine[index] / base[index] for mine, base in zip(found, first)]
            rows[name][kind] = {"seconds": statistics.median(spent[index] for spent in found), "ratio": statistics.median(ratios), "ratios": ratios}
    return rows


def one_round(tools, names, page, requests, number):
    """{"BUILD, MPM": (user, user and system)}, seconds a request."""
    servers, spent = [], {}
    try:
        for build, mpm in names:
            server = Httpd(tools.fresh(), tools.pages, tools.module(build), mpm, processes=2, threads=2)
            server.__enter__()
            servers.append((f"{build}, {mpm}", server))
            Load(tools.load, server.port, tools.page(page), 100, clients=2).finish()
        for turn in range(TURNS):
            shift = (number + turn) % len(servers)
            for name, server in servers[shift:] + servers[:shift]:
                before = server.spent()
                Load(tools.load, server.port, tools.page(page), requests // TURNS, clients=2).finish()
                each = [(b - a) / (requests // TURNS * TURNS) for a, b in zip(before, server.spent())]
                spent[name] = tuple(map(sum, zip(each, spent.get(name, (0, 0)))))
    finally:
        for _, server in servers:
            server.__exit__(None, None, None)
    return spent
