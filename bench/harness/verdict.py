# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verdict - from single runs to the targets: paired ratios, the interval of their median, PASS or MISS with the figure."""
import math, statistics

from .micro import LOOPS

# Instructions of a pair, loop included, and CPU time as a multiple (design of the heap): what, of which variant.
BUDGETS = {
    "inlined": ((14, 19, 31), (1.1, 1.1, 1.2), "the limit"),
    "rewritten": ((14, 19, 31), (1.1, 1.1, 1.2), "the limit"),
    "called": ((38, 41, 46), (1.0, 1.0, 1.0), "the best peer"),
    "freehold": ((54, 54, 62), (1.05, 1.05, 1.05), "the best peer"),
}
CAUTIONS = (
    "times are CPU time of the whole process; a ratio is the median of ratios within a round, its interval holds the median with 95 %",
    "the best peer of a row is picked after the fact, which flatters it; peers marked * ran few rounds",
    "inlined and rewritten variants are no calls: comparing them with a preloaded malloc compares two shapes of program",
    "8 threads on fewer processors measure how an allocator bears preemption, not how it scales; nothing here speaks for other machines",
    "a loop is all allocation: a program that spends a tenth of its time in malloc gains a tenth of what is shown here, at most",
)
PAIRS = 15  # fewer alternating pairs decide nothing


def interval(values):
    """95 % interval of the median by order statistics: no assumption about the distribution. All of it below six values."""
    values, n = sorted(values), len(values)
    rank, tail = 0, 0.0
    for k in range(n // 2):
        tail += math.comb(n, k) / 2**n
        if 2 * tail > 0.05:
            break
        rank = k + 1
    return values[max(rank - 1, 0)], values[n - max(rank, 1)]


def compare(own, other, key):
    """The ratio of two rows of one program, round by round: median, interval, pairs. None if they have no round in common."""
    if own.get("error") or other.get("error"):
        return None
    both = sorted(set(own["runs"]) & set(other["runs"]))
    if not both:
        return None
    ratios = [max(own["runs"][r][key], 1e-6) / max(other["runs"][r][key], 1e-6) for r in both]
    low, high = interval(ratios)
    return {"median": statistics.median(ratios), "low": low, "high": high, "pairs": len(both)}


def geomean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else None


def median(row, key):
    return statistics.median(run[key] for run in row["runs"].values())


def ran(row):
    return not row.get("error") and bool(row.get("runs"))


def figures(contest):
    """Adds to each row its medians and Freehold's ratio to it, to each program its best peers."""
    own = contest["rows"][0]
    for row in contest["rows"]:
        if not ran(row):
            continue
        row.update(cpu=median(row, "cpu"), wall=median(row, "wall"), peak_kb=median(row, "peak_kb"))
        if row is not own:
            row["freehold"] = {key: compare(own, row, key) for key in ("cpu", "wall", "peak_kb")}
    others = [row for row in contest["rows"][1:] if ran(row)]
    # One that was dropped is not the best of the row: a machine that slows down later makes its few rounds look quick.
    whole = [row for row in others if not row.get("dropped")] or others
    contest["best_cpu"] = min(whole, key=lambda row: row["cpu"])["name"] if others else None
    contest["best_peak_kb"] = min(others, key=lambda row: row["peak_kb"])["name"] if others else None


def row_of(contest, name):
    return next((row for row in contest["rows"] if row["name"] == name), None)


def ratio_to(contest, name, key):
    row = row_of(contest, name) if name else None
    return (row or {}).get("freehold", {}).get(key) if row else None


def shown(ratio):
    return f"{ratio['median']:.2f}x [{ratio['low']:.2f}-{ratio['high']:.2f}]"


def line(ok, what, figure, enough=True):
    return {"verdict": ("PASS" if ok else "MISS") if enough else ("pass?" if ok else "miss?"), "what": what, "figure": figure}


def judge_loops(variants):
    """Budgets: instructions as they are; a time is missed only if its whole interval lies above the bound."""
    lines = []
    limit = next((row for row in variants if row["name"] == "limit"), {})
    peers = [row for row in variants if row.get("kind") == "malloc" and row["name"] != "freehold" and not row.get("error")]
    for name, (instructions, times, against) in BUDGETS.items():
        row = next((row for row in variants if row["name"] == name), None)
        if not row or row.get("error"):
            lines.append({"verdict": "MISS", "what": f"{name}: budgets", "figure": (row or {}).get("error", "not run")})
            continue
        counted = row.get("instructions", {})
        lines.append(line(all(loop in counted and counted[loop] <= bound + 0.1 for loop, bound in zip(LOOPS, instructions)),
                          f"{row['label']}: at most {' / '.join(map(str, instructions))} instructions",
                          " / ".join(f"{counted[loop]:.1f}" if loop in counted else "-" for loop in LOOPS)))
        if not row.get("times"):
            continue
        ratios = []
        for loop in LOOPS:
            base = limit if against == "the limit" else min((p for p in peers if p.get("times", {}).get(loop)),
                                                           key=lambda p: statistics.median(p["times"][loop]), default=None)
            values = [a / b for a, b in zip(row["times"][loop], base["times"][loop])] if base else [math.inf]
            low, high = interval(values)
            ratios.append({"median": statistics.median(values), "low": low, "high": high, "pairs": len(values), "to": base and base["name"]})
        row["time_ratio"] = dict(zip(LOOPS, ratios))
        lines.append(line(all(r["low"] <= bound for r, bound in zip(ratios, times)),
                          f"{row['label']}: at most {' / '.join(f'{t:g}' for t in times)}x the CPU time of {against}",
                          " / ".join(shown(r) + ("" if against == "the limit" else f" {r['to']}") for r in ratios),
                          min(r["pairs"] for r in ratios) >= PAIRS))
    return lines


def overall(contests, name, key):
    """Geometric mean of Freehold's ratios to one peer over the rows that both ran; None unless it ran all."""
    ratios = [ratio_to(contest, name, key) for contest in contests]
    return None if any(r is None for r in ratios) else geomean([r["median"] for r in ratios])


def judge_time(contests, names):
    lines = []
    enough = all((ratio_to(c, c["best_cpu"], "cpu") or {"pairs": 0})["pairs"] >= PAIRS for c in contests)
    means = {name: mean for name in names if (mean := overall(contests, name, "cpu")) is not None}
    if means:
        best = max(means, key=means.get)
        walls = overall(contests, best, "wall")
        lines.append(line(means[best] <= 0.95, f"all {len(contests)} rows: geometric mean of CPU time at most 0.95x the best single peer's",
                          f"{means[best]:.3f}x {best} (wall time {walls:.3f}x)", enough))
    else:
        lines.append({"verdict": "MISS", "what": "geometric mean of CPU time", "figure": "no peer and Freehold ran all rows"})
    lost, above = [], []
    for contest in contests:
        ratio = ratio_to(contest, contest["best_cpu"], "cpu")
        if ratio is None:
            lost.append(f"{contest['name']} did not run")
            enough = True
        elif ratio["low"] > 1.15:
            lost.append(f"{contest['name']} {shown(ratio)} {contest['best_cpu']}")
        elif ratio["median"] > 1.15:
            above.append(f"{contest['name']} {shown(ratio)} {contest['best_cpu']}")
    lines.append(line(not lost, "no row above 1.15x the best peer of that row, whole interval",
                      ("; ".join(lost) or "none") + (f" (undecided: {'; '.join(above)})" if above else ""), enough))
    return lines


def judge_memory(contests):
    lines = []
    ratios = [r["median"] for c in contests if (r := ratio_to(c, "mimalloc-3", "peak_kb"))]
    if ratios:
        mean = geomean(ratios)
        lines.append(line(mean <= 1.0, f"peak memory, {len(ratios)} rows: geometric mean at most 1.0x mimalloc 3's", f"{mean:.3f}x"))
    above = [f"{c['name']} {r['median']:.2f}x {c['best_peak_kb']}" for c in contests
             if (r := ratio_to(c, c["best_peak_kb"], "peak_kb")) and r["median"] > 2]
    lines.append(line(not above, "peak memory: no row above 2x the best of that row", "; ".join(above) or "none"))
    return lines


def judge_group(contests, group, peer, bound, what):
    chosen = [c for c in contests if c["group"] == group]
    ratios = [(c["name"], ratio_to(c, peer, "cpu")) for c in chosen]
    if not chosen:
        return []
    if any(r is None for _, r in ratios):
        return [{"verdict": "MISS", "what": what, "figure": f"{peer} or Freehold did not run"}]
    ok = all(r["low"] <= bound for _, r in ratios)
    mean = geomean([r["median"] for _, r in ratios])
    return [line(ok, what, f"geometric mean {mean:.2f}x; " + "; ".join(f"{name} {shown(r)}" for name, r in ratios),
                 all(r["pairs"] >= PAIRS for _, r in ratios))]


def judge(variants, contests, names):
    lines = judge_loops(variants) if variants else []
    if contests:
        lines += judge_time(contests, names) + judge_memory(contests)
        lines += judge_group(contests, "hand-over", "snmalloc", 1.1, "producer and consumer: each row within 1.1x of snmalloc")
        lines += judge_group(contests, "fresh", "mimalloc-3", 1.1, "fresh memory: each row within 1.1x of mimalloc 3")
    return lines


def render_contest(contests):
    """One line a row of the contest: each allocator's CPU time, peak memory; Freehold's ratio to the best."""
    if not contests:
        return []
    names = [(row["name"], row["label"]) for row in contests[0]["rows"]]
    short = {name: name.replace("-debian", "-D").replace("mimalloc", "mi").replace("malloc", "") for name, _ in names}
    lines = []
    for key, title, scale, digits in (("cpu", "CPU seconds (median); the last column is Freehold's time over the best peer's, with its 95 % interval", 1, 3),
                                      ("wall", "wall seconds (median)", 1, 3), ("peak_kb", "peak memory, MB (median)", 1 / 1024, 1)):
        lines += [f"programs: {title}", f"  {'':<20}" + "".join(f" {short[name]:>9}" for name, _ in names)]
        for contest in contests:
            cells = f"  {contest['name']:<20}"
            for row in contest["rows"]:
                text = f"{row[key] * scale:.{digits}f}" if ran(row) else "FAILED" if row.get("failed") else "-"
                cells += f" {text + ('*' if row.get('dropped') else ''):>9}"
            best = contest.get("best_" + key)
            ratio = ratio_to(contest, best, key) if best else None
            lines.append(cells + (f"  {shown(ratio) if key == 'cpu' else format(ratio['median'], '.2f') + 'x'} {best}" if ratio else ""))
        lines.append("")
    failed = [f"  {c['name']}, {r['label']}: {r['error']}" for c in contests for r in c["rows"] if r.get("failed")]
    missing = sorted({f"  {r['label']}: {r['error']}" for c in contests for r in c["rows"] if r.get("error") and not r.get("failed")})
    if any(r.get("dropped") for c in contests for r in c["rows"]):
        lines.append("  *: outclassed in the first rounds and not run again")
    return lines + missing + failed


def render(lines):
    return [f"  {entry['verdict']:<5}  {entry['what']}: {entry['figure']}" for entry in lines]
