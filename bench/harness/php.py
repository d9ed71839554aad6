# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""php - what integrations/php/check measures of the builds of PHP in a folder, judged against the build without threads."""
import json, os, subprocess

# part of check's result: what it is, and the bound of each build against nts, on every script
BOUNDS = {
    "counts": ("CLI, instructions", {"zts-freehold-static": 1.003, "zts-freehold-cached": 1.025}),
    "library": ("dlopen'ed libphp.so, instructions", {"zts-freehold-gs": 1.012}),
    "time": ("CLI, user CPU time", {"zts-freehold-static": 1.05, "zts-freehold-cached": 1.05, "zts-freehold-gs": 1.05}),
}


def measure(workdir, timed, scripts, freehold, work):
    """Its words on standard output, its JSON and exit code."""
    out = os.path.join(work, "php.json")
    check = os.path.join(os.path.dirname(freehold.include), "integrations", "php", "check")
    print("PHP", flush=True)
    command = [check, workdir, "--parts", "counts,library" + (",time" if timed else ""), "--json", out] + (["--scripts", scripts] if scripts else [])
    code = subprocess.run(command, check=False).returncode
    data = {}
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            data = json.load(file)
    print(flush=True)
    return {"exit": code, **data}


def ratios(part, entry, build):
    """Of a build to nts on one script; None where one of them has no figure."""
    row, base = entry["rows"].get(build, {}), entry["rows"].get("nts", {})
    if part == "time":
        return row.get("ratio") if "ratio" in base else None
    return row["instructions"] / base["instructions"] if "instructions" in row and "instructions" in base else None


def judge(result):
    lines = []
    for part, (what, bounds) in BOUNDS.items():
        for build, bound in bounds.items():
            if build not in (result or {}).get("builds", ()) or part not in result:
                continue
            found = {script: ratios(part, entry, build) for script, entry in result[part].items() if build in entry["rows"]}
            known = {script: ratio for script, ratio in found.items() if ratio is not None}
            if not found:
                continue
            good = len(known) == len(found) and max(known.values()) <= bound
            figure = ", ".join(f"{script} {ratio:.4f}" if ratio is not None else f"{script} no figure" for script, ratio in found.items())
            lines.append({"verdict": "PASS" if good else "MISS", "what": f"PHP {result['source'].get('version', '')}, {what}: {build} at most {bound} of nts",
                          "figure": figure})
    return lines
