# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""contest - plain programs under every preloaded allocator, row by row: rounds in shuffled order, outclassed peers dropped early."""
import random, statistics

from . import measure

SIFT = 4          # rounds after which a peer that cannot be the best of the row any more is not run again...
HOPELESS = 1.35    # ...its median is so many times the best's
NEVER_DROPPED = ("freehold", "mimalloc-3", "snmalloc")  # targets name them


def contestants(freehold, found):
    """Rows of one program: Freehold first, glibc, the peers."""
    rows = [{"name": "freehold", "label": "Freehold", "preload": freehold.shared}, {"name": "glibc", "label": "glibc"}]
    if not freehold.shared:
        rows[0]["error"] = f"not built: no libfreehold.so in {freehold.folder}/lib"
    return rows + [{key: peer[key] for key in ("name", "label", "preload", "error") if peer.get(key)} for peer in found]


def cpu(row):
    return statistics.median(run["cpu"] for run in row["runs"].values())


def sift(rows):
    able = [row for row in rows if not row.get("error") and row["runs"] and row["name"] != "freehold"]
    best = min((cpu(row) for row in able), default=0)
    for row in able:
        if row["name"] not in NEVER_DROPPED and cpu(row) > HOPELESS * best:
            row["dropped"] = True


def run(launch, rows, arguments, touched, rounds, timeout, progress):
    """Adds row["runs"]: {round: what it cost}. The order is shuffled anew each round, the same way each time the bench is run."""
    order = random.Random(1)
    for row in rows:
        row["runs"] = {}
    for number in range(rounds):
        if number == SIFT:
            sift(rows)
        able = [row for row in rows if not row.get("error") and not row.get("dropped")]
        order.shuffle(able)
        for row in able:
            progress(f"round {number + 1} of {rounds}: {row['name']}")
            try:
                row["runs"][number] = measure.run_once(launch, row, arguments, timeout, touched=touched)
            except measure.Failed as failure:
                row["error"], row["failed"] = str(failure), True
    digests = {run["digest"] for run in next((row for row in rows if row["name"] == "glibc"))["runs"].values()}
    for row in rows:
        if not row.get("error") and digests and {run["digest"] for run in row["runs"].values()} != digests:
            row["error"], row["failed"] = "WRONG: its output differs from glibc's", True
