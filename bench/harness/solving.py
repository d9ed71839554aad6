# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""solving - the analysis of a captured link, again and again: medians of each stage, tables, the targets."""
import json, math, os, statistics, subprocess

from . import verdict

LONG = 8.0  # seconds; what takes longer is run 3 times at most, what takes four times as long once
DEPTHS = (0, 3)

# Budgets in seconds of solve and verdicts without contexts, with contexts of depth 3, and megabytes without.
BUDGETS = {"lua": (0.05, 0.1, None), "zstd": (0.15, 0.2, None), "sqlite": (0.3, 0.5, None), "sqlite-threads": (0.3, 0.5, None),
           "redis": (0.35, 0.8, None), "openssl": (2.0, 6.0, 400)}
LOCALS = {"zlib": 3, "zstd": 59, "redis": 170}  # of the site-contexts at depth 3
STRESS = (3, 300)                    # times the time budget; megabytes more than without
MILLION = (3.0, 500)                 # seconds and megabytes for a million constraints
GROWTH = {10: 12, 20: 26}            # so many times the program may take so many times the time


class Failed(Exception):
    pass


class Engine:
    """`freehold analyze` of one build."""

    def __init__(self, path, work, timeout):
        self.path, self.work, self.timeout = path, work, timeout

    def once(self, capture, *options):
        """(statistics, report) of one run in a process of its own."""
        stats, report = (os.path.join(self.work, name) for name in ("stats.json", "report.json"))
        command = [self.path, "analyze", capture, *options, "--quiet", f"--stats={stats}", "-o", report]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"took longer than {self.timeout} s") from None
        if done.returncode:
            raise Failed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:300])
        with open(stats, encoding="utf-8") as file:
            told = json.load(file)
        with open(report, encoding="utf-8") as file:
            return told, file.read()

    def refuses(self, capture, option):
        """Why it does not take an option, in its own words, or None."""
        done = subprocess.run([self.path, "analyze", option, capture, "--context-depth=0", "-o", os.devnull + ".json"],
                              capture_output=True, text=True, check=False)
        return done.stderr.strip().splitlines()[0] if done.returncode == 2 else None

    def measure(self, capture, rounds, *options):
        """Medians of several runs, or {"failed": why}. Two reports that differ are a failure."""
        runs, report = [], None
        try:
            while len(runs) < rounds:
                told, text = self.once(capture, *options)
                if report not in (None, text):
                    raise Failed("two runs gave two reports")
                report = text
                runs.append(told)
                took = total(stages(told))
                if took > LONG:
                    rounds = min(rounds, 1 if took > 4 * LONG else 3)
        except Failed as failure:
            return {"failed": str(failure)}
        return summarise(runs, json.loads(report))


def stages(told):
    """{stage: (CPU seconds, seconds, megabytes at its end)}"""
    every = told["stages"] + told["programs"][0]["stages"]
    return {stage["name"]: (stage["cpu_seconds"], stage["seconds"], stage["peak_rss_mb"]) for stage in every}


def total(times, *names):
    return sum(seconds[0] for name, seconds in times.items() if not names or name in names)


def summarise(runs, report):
    program = runs[0]["programs"][0]
    medians = {}
    for name in stages(runs[0]):
        of = [stages(told)[name] for told in runs]
        medians[name] = {"cpu_seconds": statistics.median(s[0] for s in of), "seconds": statistics.median(s[1] for s in of),
                         "peak_rss_mb": statistics.median(s[2] for s in of)}
    kept = {key: program.get(key) for key in ("finished", "size", "size_with_contexts", "copies", "solver", "sites", "site_contexts", "reasons",
                                             "external", "escaped")}
    return {**kept, "modules": program["modules"], "stages": medians, "aside": report.get("aside", {}).get("text"), "runs": [stages(told) for told in runs],
            "settings": runs[0]["settings"]}


def judged_time(result):
    """CPU seconds of solve and verdicts; infinite where there is no answer."""
    if not result or result.get("failed") or result["aside"]:
        return math.inf
    return sum(result["stages"][name]["cpu_seconds"] for name in ("solve", "verdicts"))


def peak(result):
    return max(stage["peak_rss_mb"] for stage in result["stages"].values()) if result and not result.get("failed") else math.inf


def told(result):
    """The time in words."""
    if not result:
        return "not run"
    if result.get("failed"):
        return result["failed"]
    if result["aside"]:
        return f"stands aside after {result['stages']['solve']['cpu_seconds']:.2f} s, {peak(result):.0f} MB"
    return f"{judged_time(result):.3f} s, {peak(result):.0f} MB"


# Tables.

def of(result, stage, key="cpu_seconds", form="{:.3f}"):
    return form.format(result["stages"][stage][key]) if result and stage in result.get("stages", {}) else "-"


def render(rows):
    head = (f"{'program':<15}{'modules':>8}{'lines':>9}{'constr.':>9}{'values':>9}{'read':>8}{'merge':>8}{'solve':>8}{'+contexts':>10}{'verdicts':>9}"
            f"{'MB':>6}{'MB ctx':>7}{'external':>9}{'local':>7}{'shared':>7}{'unknown':>8}")
    lines = ["CPU seconds of each stage (medians); verdicts and counts of site-contexts with contexts of depth 3", head]
    for row in rows:
        if row.get("error"):
            lines.append(f"{row['name']:<15} {row['error']}")
            continue
        flat, deep = (row["depths"].get(str(depth)) for depth in DEPTHS)
        some = next((r for r in (flat, deep) if r and not r.get("failed")), None)
        if not some:
            lines.append(f"{row['name']:<15} {(flat or deep)['failed']}")
            continue
        line = (f"{row['name']:<15}{len(some['modules']):>8}{row['lines']:>9}{some['size']['constraints']:>9}{some['size']['values']:>9}"
                f"{of(some, 'read'):>8}{of(some, 'merge'):>8}{of(flat, 'solve'):>8}")
        if some["aside"]:
            lines.append(f"{line}  {told(some)}: {some['aside']}")
            continue
        contexts = deep["stages"]["solve"]["cpu_seconds"] - flat["stages"]["solve"]["cpu_seconds"] if deep and flat and "stages" in deep and "stages" in flat else None
        line += f"{'-' if contexts is None else f'{contexts:.3f}':>10}{of(deep, 'verdicts'):>9}{peak(flat):>6.0f}{peak(deep):>7.0f}"
        share = some["external"]["external"] / max(some["external"]["values"], 1)
        counts = (deep or some).get("site_contexts") or {}
        lines.append(line + f"{share:>9.0%}" + "".join(f"{counts.get(key, '-'):>{width}}" for key, width in (("local", 7), ("shared", 7), ("unknown", 8))))
    return lines


def render_causes(rows, first=10):
    lines = []
    for row in rows:
        flat = row.get("depths", {}).get("0") or {}
        if not flat.get("external"):
            continue
        lines.append(f"{row['name']}: what made {flat['external']['external']} of {flat['external']['values']} values external, and (escaped) "
                     f"{flat['escaped']['escaped']} of {flat['escaped']['objects']} objects escape")
        for what in ("external", "escaped"):
            for cause in flat[what]["causes"][:first]:
                lines.append(f"  {what:<9}{cause['count']:>8}  {cause['text']}" + (f" [{cause['code']}]" if cause["code"] else ""))
        for reason in (row["depths"].get("3") or flat).get("reasons") or []:
            lines.append(f"  {'sites':<9}{reason['count']:>8}  {reason['text']} [{reason['code']}]")
    return lines


# The targets.

def judge(rows, growth):
    lines = []
    by_name = {row["name"]: row for row in rows if not row.get("error")}
    for name, budget in BUDGETS.items():
        if name in by_name:
            lines += judge_budget(by_name[name], budget)
    aside = [row["name"] for row in by_name.values() if any(r.get("aside") for r in row["depths"].values())]
    if by_name:
        lines.append(verdict.line(not aside, f"none of {len(by_name)} programs stands aside", ", ".join(aside) or "none does"))
    for name, least in LOCALS.items():
        deep = by_name.get(name, {}).get("depths", {}).get("3")
        if deep:
            counts = deep.get("site_contexts") or {}
            lines.append(verdict.line(counts.get("local", 0) >= least, f"{name}: at least {least} site-contexts local with depth 3",
                                      f"{counts['local']} of {sum(counts.values())}" if counts else told(deep)))
    return lines + judge_growth(growth)


def judge_budget(row, budget):
    lines = []
    for depth, seconds in zip(DEPTHS, budget):
        result = row["depths"].get(str(depth))
        contexts = f"with contexts of depth {depth}" if depth else "without contexts"
        if result:
            lines.append(verdict.line(judged_time(result) <= seconds, f"{row['name']}: solve and verdicts {contexts} in {seconds:g} s", told(result)))
        stress = row.get("stress", {}).get(str(depth))
        if stress:
            more = peak(stress) - peak(result)
            lines.append(verdict.line(judged_time(stress) <= STRESS[0] * seconds and more <= STRESS[1],
                                      f"{row['name']}: --stress {contexts} in {STRESS[0] * seconds:g} s and at most {STRESS[1]} MB more", f"{told(stress)} ({more:+.0f} MB)"))
    flat = row["depths"].get("0")
    if flat and budget[2]:
        lines.append(verdict.line(not flat.get("aside") and peak(flat) <= budget[2], f"{row['name']}: at most {budget[2]} MB without contexts", told(flat)))
    return lines


def judge_growth(growth):
    lines = []
    if not growth:
        return lines
    points = {point["copies"]: point for point in growth["points"]}
    whole = [p for p in growth["points"] if (p["depths"].get("0") or {}).get("size", {}).get("constraints", 0) >= 1_000_000]
    if whole:
        first = min(whole, key=lambda p: p["copies"])
        flat = first["depths"]["0"]
        lines.append(verdict.line(judged_time(flat) <= MILLION[0] and peak(flat) <= MILLION[1],
                                  f"a million constraints without contexts in {MILLION[0]:g} s and {MILLION[1]} MB",
                                  f"{flat['size']['constraints']} constraints ({growth['program']} x{first['copies']}): {told(flat)}"))
    for copies, bound in GROWTH.items():
        if copies not in points or 1 not in points:
            continue
        one, many = (points[n]["depths"].get("3") for n in (1, copies))
        ratio = judged_time(many) / judged_time(one) if judged_time(one) < math.inf else math.inf
        lines.append(verdict.line(ratio <= bound, f"{growth['program']} x{copies} takes at most {bound} times the time of one, contexts included",
                                  f"{ratio:.1f}x" if ratio < math.inf else f"x1: {told(one)}; x{copies}: {told(many)}"))
    return lines


def render_growth(growth):
    if not growth:
        return []
    lines = [f"growth: copies of {growth['program']} under new names", f"{'copies':>8}{'lines':>12}{'constr.':>10}{'values':>10}{'merge':>8}  without contexts"
             f"{'':>16}  with depth 3"]
    for point in growth["points"]:
        some = next((r for r in point["depths"].values() if not r.get("failed")), None)
        size = some["size"] if some else {"constraints": "-", "values": "-"}
        lines.append(f"{point['copies']:>8}{point['lines']:>12}{size['constraints']:>10}{size['values']:>10}{of(some, 'merge'):>8}"
                     + "".join(f"  {told(point['depths'].get(str(depth))):<32}" for depth in DEPTHS).rstrip())
    return lines
