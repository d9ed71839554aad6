# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""builds - what build.sh left in a WORKDIR, and how to run its programs."""
import os
import pathlib
import signal
import subprocess


class Failed(Exception):
    """A measurement or a test run that cannot be had; the text says why."""


class Work:
    """A WORKDIR: its builds, its scripts, and where its PHP came from."""

    def __init__(self, folder, under=()):
        self.folder = pathlib.Path(folder).resolve()
        self.under = list(under)  # a command that every heavy run is put behind (nice, a lock)
        self.source = self.folder / "source" / "php"
        record = self.folder / "source.txt"
        if not record.exists():
            raise Failed(f"{folder} is no folder of build.sh: it has no source.txt")
        self.record = dict(line.split("=", 1) for line in record.read_text().splitlines() if "=" in line)

    def builds(self):
        return sorted({p.parent.parent.name for how in ("*/bin/php", "*/lib/libphp.so") for p in self.folder.glob(how)})

    def php(self, build):
        return self.folder / build / "bin" / "php"

    def library(self, build):
        """The embed library."""
        return self.folder / build / "lib" / "libphp.so"

    def extensions(self, build):
        """The folder of a build's shared extensions: its name carries PHP's API number."""
        found = list((self.folder / build / "lib" / "php" / "extensions").glob("*/opcache.so"))
        return found[0].parent if found else None

    def script(self, name):
        return self.folder / "scripts" / f"{name}.php"

    def scratch(self, *parts):
        path = self.folder.joinpath("check", *parts)
        path.mkdir(parents=True, exist_ok=True)
        return path


def environment(**more):
    """Nothing that changes PHP, the loader or malloc behind the reader's back."""
    unwanted = ("PHP", "LD_", "USE_ZEND", "MALLOC_", "GLIBC_TUNABLES", "FREEHOLD_", "TEST_PHP", "NO_INTERACTION")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(unwanted)}
    return {**kept, "LC_ALL": "C", "TZ": "UTC", **more}


def run(command, timeout, cwd=None, env=None):
    """Exit code and output of a command, which is ended with all its children when it takes too long."""
    process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               cwd=cwd, env=env or environment(), start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as stop:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(stop, KeyboardInterrupt):
            raise
        raise Failed(f"took longer than {timeout} s: {' '.join(str(c) for c in command)[:200]}") from None
    return process.returncode, output.decode(errors="replace")


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
