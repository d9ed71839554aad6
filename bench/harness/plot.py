# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot - SVG pictures written by hand. bench/heap: the ladder of loops on top, below it every program row with each allocator's CPU
time as a multiple of Freehold's, on a logarithmic scale. bench/globals: the instructions of each row in every place, and of the engine's rows in
every mode."""
import math, statistics
from html import escape

from .micro import LOOPS

COLOURS = {"mimalloc": "#0072b2", "snmalloc": "#d55e00", "rpmalloc": "#009e73", "jemalloc": "#cc79a7", "tcmalloc": "#8c6d00", "tbbmalloc": "#3d3d3d",
           "mimalloc-2": "#74b9e8", "glibc": "#777777"}
LOOP_COLOURS = {"pair": "#1b4965", "lifo": "#4f8fba", "random": "#a9cce3"}
INK, FAINT, OURS = "#222222", "#dddddd", "#b3261e"
LEFT, RIGHT, ROW, WIDTH = 270, 90, 17, 960


def colour(name):
    return COLOURS.get(name) or COLOURS.get(name.split("-")[0], "#444444")


class Picture:
    def __init__(self):
        self.parts, self.y = [], 0

    def text(self, x, y, words, size=12, anchor="start", fill=INK, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" font-weight="{weight}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, stroke=FAINT, width=1.0, dash=""):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width}"{extra}/>')

    def bar(self, x, y, width, height, fill):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" fill="{fill}"/>')

    def dot(self, x, y, name):
        """Built from source: full; Debian's: hollow."""
        fill, radius = ("white" if name.endswith("-debian") else colour(name)), 3.6
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{colour(name)}" stroke-width="1.4" fill-opacity="0.85"/>')

    def svg(self):
        return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.y:.0f}" viewBox="0 0 {WIDTH} {self.y:.0f}" '
                          'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">', '<rect width="100%" height="100%" fill="white"/>', *self.parts, "</svg>", ""])


def loops(picture, variants):
    """Three thin bars a variant: nanoseconds where timed, else instructions."""
    timed = any(row.get("times") for row in variants)
    value = lambda row, loop: (statistics.median(row["times"][loop]) if row.get("times", {}).get(loop) else None) if timed else row.get("instructions", {}).get(loop)
    rows = [row for row in variants if not row.get("error") and value(row, "pair") is not None]
    span = WIDTH - LEFT - RIGHT
    most = max((value(row, loop) or 0) for row in rows for loop in LOOPS)
    picture.text(20, 30, "A malloc/free pair, one thread: " + ("nanoseconds of CPU time" if timed else "instructions"), 15, weight="bold")
    for i, loop in enumerate(LOOPS):
        picture.bar(LEFT + i * 90, 42, 10, 10, LOOP_COLOURS[loop])
        picture.text(LEFT + 14 + i * 90, 51, loop, 11)
    y = 66
    for row in rows:
        ours = row["name"] in ("inlined", "rewritten", "called", "freehold")
        picture.text(LEFT - 8, y + 13, row["label"].replace(", preloaded", ""), 11, "end", OURS if ours else INK, "bold" if ours else "normal")
        for i, loop in enumerate(LOOPS):
            picture.bar(LEFT, y + 2 + i * 5, span * (value(row, loop) or 0) / most, 4.2, LOOP_COLOURS[loop])
        words = " / ".join(f"{value(row, loop):.1f}" if value(row, loop) is not None else "-" for loop in LOOPS)
        picture.text(LEFT + span * max(value(row, loop) or 0 for loop in LOOPS) / most + 6, y + 13, words, 9, fill="#555555")
        y += 21
    picture.y = y + 20


def programs(picture, contests):
    names = [row["name"] for row in contests[0]["rows"][1:]]
    points = {c["name"]: {row["name"]: 1 / row["freehold"]["cpu"]["median"] for row in c["rows"][1:] if (row.get("freehold") or {}).get("cpu")} for c in contests}
    every = [v for row in points.values() for v in row.values()] or [1]
    low, high = min(0.5, min(every)), min(max(4, max(every)), 16)
    span, top = WIDTH - LEFT - RIGHT, picture.y + 66
    place = lambda v: LEFT + span * (math.log(min(v, high)) - math.log(low)) / (math.log(high) - math.log(low))
    picture.text(20, picture.y + 16, "Programs: CPU time as a multiple of Freehold's, preloaded (left of the red line: faster than Freehold)", 15, weight="bold")
    for i, name in enumerate(names):
        x, y = 20 + (i % 6) * 155, picture.y + 34 + (i // 6) * 16
        picture.dot(x, y - 4, name)
        picture.text(x + 8, y, name, 11)
    bottom = top + len(contests) * ROW
    ticks = [t for t in (0.125, 0.25, 0.5, 0.7, 1, 1.5, 2, 3, 4, 8, 16) if low <= t <= high]
    for tick in ticks:
        picture.line(place(tick), top, place(tick), bottom, OURS if tick == 1 else FAINT, 1.4 if tick == 1 else 1)
        picture.text(place(tick), bottom + 14, f"{tick:g}x", 10, "middle", "#555555")
    for i, contest in enumerate(contests):
        y = top + (i + 0.5) * ROW
        if i % 2:
            picture.bar(LEFT, y - ROW / 2, span, ROW, "#00000008")
        picture.text(LEFT - 8, y + 4, contest["name"], 11, "end")
        for name, value in sorted(points[contest["name"]].items(), key=lambda item: item[1] == min(points[contest["name"]].values())):
            picture.dot(place(value), y, name)
    picture.y = bottom + 30


def write(path, variants, contests, foot):
    picture = Picture()
    if variants:
        loops(picture, variants)
    if contests:
        programs(picture, contests)
    save(picture, path, foot)


def save(picture, path, foot):
    picture.text(20, picture.y, foot, 10, fill="#555555")
    picture.y += 16
    with open(path, "w", encoding="utf-8") as out:
        out.write(picture.svg())


PLACE_COLOURS = {"exe": "#0072b2", "pie": "#74b9e8", "linked": "#e69f00", "dlopened": "#b3261e"}


def access(picture, target, cells, labels):
    """A line a row, a dot a place: full for gcc, hollow for clang."""
    rows = list(dict.fromkeys(cell["row"] for cell in cells if "four" in cell))
    span, top = WIDTH - LEFT - RIGHT, picture.y + 50
    high = max(cell["four"] for cell in cells if "four" in cell)
    place = lambda count: LEFT + span * math.log(max(count, 1) / 2) / math.log(high / 2)
    picture.text(20, picture.y + 16, f"{target}: instructions of four accesses", 15, weight="bold")
    for i, (name, colour_) in enumerate(PLACE_COLOURS.items()):
        picture.bar(LEFT + i * 110, picture.y + 26, 10, 10, colour_)
        picture.text(LEFT + 14 + i * 110, picture.y + 35, name, 11)
    picture.text(LEFT + 450, picture.y + 35, "full: gcc, hollow: clang", 11)
    bottom = top + len(rows) * ROW
    for tick in (t for t in (4, 8, 16, 32, 64, 128) if t <= high):
        picture.line(place(tick), top, place(tick), bottom, OURS if tick == 4 else FAINT)
        picture.text(place(tick), bottom + 14, str(tick), 10, "middle", "#555555")
    for i, row in enumerate(rows):
        y, ours = top + (i + 0.5) * ROW, labels[row].startswith("Freehold")
        picture.text(LEFT - 8, y + 4, labels[row], 11, "end", OURS if ours else INK, "bold" if ours else "normal")
        for cell in (cell for cell in cells if cell["row"] == row and "four" in cell):
            stroke = PLACE_COLOURS[cell["place"]]
            y_ = y + (list(PLACE_COLOURS).index(cell["place"]) - 1.5) * 3
            fill = stroke if cell["compiler"] == "gcc" else "white"
            picture.parts.append(f'<circle cx="{place(cell["four"]):.1f}" cy="{y_:.1f}" r="3" fill="{fill}" stroke="{stroke}" stroke-width="1.3"/>')
    picture.y = bottom + 34


MODE_COLOURS = {"static": "#b3261e", "gs": "#e69f00", "cached": "#0072b2", "pointer": "#74b9e8", "passed": "#009e73", "classic": "#3d3d3d"}


def engine(picture, shape, counts):
    """A line a row of its scripts, a dot a mode: instructions as a multiple of the single-thread build's."""
    rows = {name: row for name, row in counts.items() if "single" in row and not name.endswith(("/all", "/cache"))}
    modes = [mode for mode in MODE_COLOURS if all(mode in row for row in rows.values())]
    span, top = WIDTH - LEFT - RIGHT, picture.y + 50
    high = max([1.05] + [row[mode] / row["single"] for row in rows.values() for mode in modes])
    place = lambda ratio: LEFT + span * (ratio - 0.99) / (high - 0.99)
    picture.text(20, picture.y + 16, f"engine, {shape}: instructions of a request as a multiple of the build with plain globals", 15, weight="bold")
    for i, mode in enumerate(modes):
        picture.bar(LEFT + i * 90, picture.y + 26, 10, 10, MODE_COLOURS[mode])
        picture.text(LEFT + 14 + i * 90, picture.y + 35, mode, 11)
    bottom = top + len(rows) * ROW
    for tick in (1 + i * 0.05 for i in range(int((high - 1) / 0.05) + 1)):
        picture.line(place(tick), top, place(tick), bottom, OURS if tick == 1 else FAINT)
        picture.text(place(tick), bottom + 14, f"{tick:.2f}", 10, "middle", "#555555")
    for i, (name, row) in enumerate(rows.items()):
        y = top + (i + 0.5) * ROW
        picture.text(LEFT - 8, y + 4, name, 11, "end")
        for mode in reversed(modes):
            picture.parts.append(f'<circle cx="{place(row[mode] / row["single"]):.1f}" cy="{y:.1f}" r="3" fill="{MODE_COLOURS[mode]}" fill-opacity="0.85"/>')
    picture.y = bottom + 34


def write_globals(path, cells, engines, labels, foot):
    picture = Picture()
    for target in dict.fromkeys(cell["target"] for cell in cells if "four" in cell):
        access(picture, target, [cell for cell in cells if cell["target"] == target], labels)
    for result in engines:
        if result.get("counts"):
            engine(picture, result["shape"], result["counts"])
    save(picture, path, foot)
