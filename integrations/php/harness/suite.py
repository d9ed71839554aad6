# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""suite - PHP's own tests, on two builds, in each setting: is it the same set that passes?

Tests run in slices of SLICE, each of which leaves its results in WORKDIR/check/tests: an interrupted run goes on where it
stopped, and lists of tests do not disturb each other's results. A test whose result differs is run three times alone on both
sides before it counts: PHP has tests that depend on time and load."""
import collections
import contextlib
import fcntl
import hashlib
import os
import pathlib
import tempfile

from .builds import Failed, environment, last_line, run

DIRECTORIES = ("Zend", "tests", "ext/standard", "ext/opcache")
SLICE = 250
TIMEOUT = 3600
JIT = ("opcache.jit_buffer_size=64M", "opcache.jit=tracing")
SETTINGS = {
    "plain": (),
    "opcache": ("opcache.enable=1", "opcache.enable_cli=1", "opcache.jit=off"),
    "jit": ("opcache.enable=1", "opcache.enable_cli=1", *JIT),
    # The extension of the baseline's build in the other one: the old binary interface is kept.
    "stock-opcache": ("opcache.enable=1", "opcache.enable_cli=1", "opcache.jit=off"),
    "stock-jit": ("opcache.enable=1", "opcache.enable_cli=1", *JIT),
}


def tests_of(work, directories):
    found = []
    for directory in directories:
        base = work.source / directory
        if not base.exists():
            raise Failed(f"the source has no {directory}")
        found += [base] if base.is_file() else sorted(base.rglob("*.phpt"))
    return [str(path) for path in found]


def arguments(work, build, setting, stock):
    """What run-tests.php gets, and what it is run with."""
    php = work.php(build)
    values = list(SETTINGS[setting])
    if setting != "plain":
        folder = work.extensions(stock if setting.startswith("stock") else build)
        if not folder:
            raise Failed(f"{build} has no opcache.so")
        values.append(f"zend_extension={folder}/opcache.so")
    if os.getuid() == 0:
        values.append("opcache.preload_user=root")  # without it the tests of preloading fail
    given = [argument for value in values for argument in ("-d", value)]
    return [php, "-n", work.source / "run-tests.php", "-n", "-q", "--offline", "--no-color", "--no-progress", "--set-timeout", "120",
            "-p", php, *given]


@contextlib.contextmanager
def alone_in(work):
    """run-tests.php writes each test's files beside it and removes them: two of them in one source would disturb each other."""
    with open(work.scratch("tests") / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_list(work, command, tests, jobs):
    """{test: result} of one call of run-tests.php."""
    results, parallel = {}, [f"-j{jobs}"] if jobs > 1 and len(tests) > 1 else []
    with tempfile.TemporaryDirectory() as name:
        given, found = pathlib.Path(name) / "given", pathlib.Path(name) / "found"
        given.write_text("\n".join(tests) + "\n")
        found.touch()
        with alone_in(work):
            code, output = run([*work.under, *command, *parallel, "-r", given, "-W", found], TIMEOUT, cwd=work.source,
                               env=environment(NO_INTERACTION="1", SKIP_ONLINE_TESTS="1", SKIP_SLOW_TESTS="1", REPORT_EXIT_STATUS="1"))
        for line in found.read_text().splitlines():
            result, _, test = line.partition("\t")
            results[str(work.source / test)] = result.strip()
    silent = sorted(set(tests) - set(results))
    if silent:
        raise Failed(f"run-tests.php gave no result for {len(silent)} of {len(tests)} tests, {silent[0]} among them (exit {code}): "
                     f"{last_line(output)}")
    return results


def run_suite(work, build, setting, stock, tests, jobs, progress):
    command, results = arguments(work, build, setting, stock), {}
    for start in range(0, len(tests), SLICE):
        part = tests[start:start + SLICE]
        kept = work.scratch("tests", build, setting) / slice_key(work, build, command, part)
        if not kept.exists():
            progress(f"{build}, {setting}: tests {start + 1} to {start + len(part)} of {len(tests)}")
            found = run_list(work, command, part, jobs)
            new = kept.with_suffix(".new")
            new.write_text("".join(f"{result}\t{name}\n" for name, result in sorted(found.items())))
            new.rename(kept)
        results.update((name, result) for result, _, name in (line.partition("\t") for line in kept.read_text().splitlines()))
    return results


def slice_key(work, build, command, part):
    """What a slice's results hold for: these options, these binaries as they are now, these tests."""
    words = [str(word) for word in command]
    files = [pathlib.Path(word.removeprefix("zend_extension=")) for word in words]
    files += sorted(work.extensions(build).glob("*.so")) if work.extensions(build) else []
    times = [f"{path} {path.stat().st_mtime_ns}" for path in files if path.is_file()]
    return hashlib.sha256("\n".join(words + times + part).encode()).hexdigest()[:16]


def again(work, build, setting, stock, test, times=3):
    command = arguments(work, build, setting, stock)
    return [run_list(work, command, [test], 1).get(test, "NONE") for _ in range(times)]


def compare(work, stock, build, setting, tests, jobs, progress):
    """Both sides' sums, and the tests whose result differs also when run alone."""
    left = run_suite(work, stock, setting.removeprefix("stock-"), stock, tests, jobs, progress)
    right = run_suite(work, build, setting, stock, tests, jobs, progress)
    differing, unstable = {}, {}
    for test in sorted(set(left) | set(right)):
        if left.get(test) == right.get(test):
            continue
        name = test.removeprefix(str(work.source) + "/")
        progress(f"{name} differs: three times alone on both sides")
        alone = [again(work, side, how, stock, test) for side, how in ((stock, setting.removeprefix("stock-")), (build, setting))]
        first = [left.get(test, "NONE"), right.get(test, "NONE")]
        # The same three results alone on both sides, or a test that PHP's own build passes only now and then: not a difference of
        # the builds. One that is steady there and varies in the other build is.
        same = sorted(alone[0]) == sorted(alone[1]) or len(set(alone[0])) > 1
        (unstable if same else differing)[name] = {"together": first, "alone": alone}
    # For the reader only: what neither build passes. XFAILED is what PHP itself expects.
    return {"setting": setting, stock: sums(left), build: sums(right), "differing": differing, "unstable": unstable,
            "failing_in_both": sorted(t.removeprefix(str(work.source) + "/") for t in left
                                      if left[t] == right.get(t) and left[t] not in ("PASSED", "SKIPPED", "XFAILED"))}


def sums(results):
    return dict(collections.Counter(results.values()))
