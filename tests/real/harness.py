# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""harness - one run of a real program: its folder, its environment, its servers, and the proof that its malloc was Freehold's."""
import json
import signal
import socket
import subprocess
import time

PATH = "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"  # Debian's programs, whatever else the user has in front


class Failure(Exception):
    """The program did not do its work."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Setting:
    """One run. preload: libfreehold.so, or None. Statistics of every process that ends in it are gathered from its standard error."""

    def __init__(self, folder, preload, check):
        self.folder, self.preload, self.servers = folder, preload, []
        self.environment = {"PATH": PATH, "HOME": str(folder), "LC_ALL": "C", "TZ": "UTC"}
        if preload:
            self.environment.update(LD_PRELOAD=str(preload), FREEHOLD_STATS="json")
            if check:
                self.environment["FREEHOLD_CHECK"] = check

    def _said(self, number):
        return self.folder / f"stderr-{number}.txt"

    def _open(self):
        number = 0
        while self._said(number).exists():
            number += 1
        return open(self._said(number), "wb")

    def run(self, *command, stdin=b"", timeout=300, statistics=True):
        """Runs a command in the folder and returns what it printed. Another exit code than 0 is a failure."""
        environment = {k: v for k, v in self.environment.items() if statistics or k != "FREEHOLD_STATS"}
        with self._open() as errors:
            done = subprocess.run([str(c) for c in command], cwd=self.folder, env=environment, input=stdin,
                                  stdout=subprocess.PIPE, stderr=errors, timeout=timeout, check=False)
        if done.returncode != 0:
            raise Failure(f"{command[0]} ended with {done.returncode}: {self.complaints()[-600:]}")
        return done.stdout.decode(errors="replace")

    def plain(self, *command, timeout=300):
        """A command that is not under test: never on Freehold."""
        environment = {k: v for k, v in self.environment.items() if k != "LD_PRELOAD" and not k.startswith("FREEHOLD_")}
        return subprocess.run([str(c) for c in command], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout, check=True).stdout.decode(errors="replace")

    def serve(self, port, *command):
        """Starts a server and waits until it listens."""
        with self._open() as errors, open(self.folder / "stdout.txt", "ab") as out:
            server = subprocess.Popen([str(c) for c in command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                      stdout=out, stderr=errors)
        self.servers.append(server)
        for _ in range(600):
            if server.poll() is not None:
                raise Failure(f"{command[0]} ended at once with {server.returncode}: {self.complaints()[-600:]}")
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return server
            except OSError:
                time.sleep(0.05)
        raise Failure(f"{command[0]} does not listen")

    def end(self, server, how=signal.SIGTERM):
        """Ends a server in its own way; a server that dies of a signal of its own failed."""
        server.send_signal(how)
        if server.wait(60) not in (0, -how):
            raise Failure(f"the server ended with {server.returncode}: {self.complaints()[-600:]}")

    def stop(self):
        for server in self.servers:
            if server.poll() is None:
                server.kill()
                server.wait()

    def _texts(self):
        return [p.read_text(errors="replace") for p in sorted(self.folder.glob("stderr-*.txt"))]

    def complaints(self):
        """What was said beside the statistics."""
        return "\n".join(l for t in self._texts() for l in t.splitlines() if not l.startswith('{"schema":"freehold-stats'))

    def require_ours(self):
        """Fails unless processes ended that had taken memory from Freehold, and none said a word of Freehold's."""
        shared = []
        for text in self._texts():
            for line in text.splitlines():
                if line.startswith('{"schema":"freehold-stats/1"'):
                    shared.append(json.loads(line)["shared"]["mapped_bytes"])
                elif line.startswith("freehold:"):
                    raise Failure(line)
        if not shared or max(shared) == 0:
            raise Failure(f"no process of it ran on Freehold's malloc ({len(shared)} statistics)")
