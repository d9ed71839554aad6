# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table - the figures of a row and the table a reader sees: every row, the lost ones too."""
import statistics

CAUTIONS = (
    "ratios are CPU time against glibc in the same round; the range is that of the rounds, and what lies inside it is noise",
    "freehold's rows inline the allocation into the program, the preloaded peers are called: this is not a contest of the same shape",
    "only allocation is different: a program that rarely allocates gains little, whatever a row of a benchmark says",
    "nothing here speaks for more processors than this machine has, for other sizes, or for programs that are not in the table",
)
SHORT = 0.02  # seconds


def figures(rows):
    """Adds medians, and ratios to the first row round by round."""
    base = rows[0]
    for row in rows:
        runs = row.get("runs") or []
        if row.get("error") or not runs:
            continue
        row["cpu"] = statistics.median(r["cpu"] for r in runs)
        row["wall"] = statistics.median(r["wall"] for r in runs)
        row["peak_mb"] = max(r["peak_kb"] for r in runs) / 1024
        if base.get("error"):
            continue
        for key in ("cpu", "wall"):
            ratios = [r[key] / max(b[key], 1e-6) for r, b in zip(runs, base["runs"])]
            row[key + "_ratio"] = {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}


def sites_line(counts):
    if counts is None:
        return "no report: not built by freehold-cc"
    if "aside" in counts:
        return f"freehold stood aside: {counts['aside']}"
    unknown = f", {counts['unknown']} unknown" if counts.get("unknown") else ""
    return f"{counts['local']} of {counts['sites']} sites local{unknown}, {counts['rewritten']} rewritten"


def render(program):
    """Lines of one program's table."""
    rows = program["rows"]
    counted = any("instructions" in row for row in rows)
    width = max(len(row["label"]) for row in rows)
    lines = [f"{program['name']} {' '.join(program['args'])}   ({sites_line(program['sites'])})"]
    head = f"  {'allocator':<{width}}  {'CPU s':>8}  {'wall s':>8}  {'CPU/glibc':>9}  {'(range)':<13}  {'wall/glibc':>10}  {'peak MB':>8}"
    lines.append(head + (f"  {'instructions':>14}" if counted else ""))
    for row in rows:
        if row.get("error"):
            lines.append(f"  {row['label']:<{width}}  {row['error']}")
            continue
        ratio, wall = row.get("cpu_ratio"), row.get("wall_ratio")
        spread = f"({ratio['least']:.2f}-{ratio['most']:.2f})" if ratio else ""
        cells = (f"  {row['label']:<{width}}  {row['cpu']:>8.3f}  {row['wall']:>8.3f}  {ratio['median'] if ratio else 0:>8.2f}x"
                 f"  {spread:<13}  {wall['median'] if wall else 0:>9.2f}x  {row['peak_mb']:>8.1f}")
        if counted:
            cells += f"  {row['instructions']:>14,}" if "instructions" in row else f"  {'-':>14}"
        lines.append(cells + ("  " + row["note"] if row.get("note") else ""))
    if not rows[0].get("error") and rows[0]["cpu"] < SHORT:
        lines.append(f"  too short: below {SHORT} s of CPU time a run is mostly start-up, and its ratios say nothing")
    if counted:
        lines.append(f"  instructions: of a run with {' '.join(program['counted_args'])}")
    return lines
