# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""httpd - one Debian apache2 of our own: configuration, port, logs and user are the trial's, nothing of the system's is read or started."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time

from harness.builds import Failed, environment, last_line

MODULES = pathlib.Path("/usr/lib/apache2/modules")
# What the pages of the plan cause, and what httpd says of its own life.
EXPECTED = re.compile(r"\[\S+:(notice|info)\]|AH10159|AH10392|AH00484|Uncaught RuntimeException: nobody catches this|script '.*missing\.php' not found"
                      r"|^(Stack trace:|#\d+ .*|  thrown in .*)$|^$")
WAIT = 60


def unprivileged():
    """The account to run as, None: ours, which is not root's."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident(pid):
    """Bytes; 0 for a process that has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def seconds(pid):
    """User CPU time, which the kernel samples in many configurations, and all CPU time, exact to a clock tick: (user, user and system)."""
    try:
        user, system = map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])
    except (OSError, ValueError):
        return 0.0, 0.0
    return user / os.sysconf("SC_CLK_TCK"), (user + system) / os.sysconf("SC_CLK_TCK")


class Httpd:
    """A running apache2 with *library* as PHP module, for a `with` statement."""

    def __init__(self, folder, pages, library, mpm="event", processes=2, threads=8, under=(), single=False):
        self.folder, self.mpm, self.processes, self.threads = pathlib.Path(folder), mpm, processes, threads
        self.under, self.single, self.port, self.process = list(under), single, free_port(), None
        self.account = unprivileged()
        for name in ("run", "pages"):
            (self.folder / name).mkdir(parents=True)
        shutil.copytree(pages, self.folder / "pages", dirs_exist_ok=True)
        (self.folder / "pages" / "plain.txt").write_text("plain text\n")
        # A copy, since the account may not get at the original; for a build without the module there is none.
        self.library = shutil.copy(library, self.folder / "libphp.so")
        self.error_log = self.folder / "error_log"
        self.configure(php=True)
        if self.account:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.account.pw_uid, self.account.pw_gid)

    def configure(self, php):
        """Writes the configuration; httpd heeds it at its next graceful restart."""
        # Slots enough for the children of configurations before, which end when their requests have; none ends for want of work.
        each = 1 if self.mpm == "prefork" else self.threads
        most = each * self.processes
        limits = [f"ServerLimit {4 * self.processes + 8}", f"MaxRequestWorkers {most}", f"StartServers {self.processes}", "MaxConnectionsPerChild 0"]
        if self.mpm == "prefork":
            limits += [f"MinSpareServers {self.processes}", f"MaxSpareServers {most}"]
        else:
            limits += [f"ThreadsPerChild {each}", f"ThreadLimit {each}", f"MinSpareThreads {each}", f"MaxSpareThreads {most}"]
        lines = [f'ServerRoot "{self.folder}"', "ServerName localhost", f"Listen 127.0.0.1:{self.port}", f'PidFile "{self.folder}/run/pid"',
                 f'DefaultRuntimeDir "{self.folder}/run"', f'Mutex "file:{self.folder}/run" default', f'ErrorLog "{self.error_log}"', "LogLevel notice",
                 "Timeout 900", "KeepAlive Off", "GracefulShutdownTimeout 60", f'DocumentRoot "{self.folder}/pages"',
                 *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in (f"mpm_{self.mpm}", "authz_core")), *limits]
        if php:
            lines += [f'LoadModule php_module "{self.library}"', '<FilesMatch "\\.php$">', "SetHandler application/x-httpd-php", "</FilesMatch>",
                      "php_admin_flag display_errors off", "php_admin_flag log_errors on"]
        (self.folder / "httpd.conf").write_text("\n".join(lines) + "\n")

    def __enter__(self):
        command = [*self.under, shutil.which("apache2", path=os.environ.get("PATH", "") + ":/usr/sbin"), "-f", f"{self.folder}/httpd.conf",
                   *(["-X"] if self.single else ["-DFOREGROUND"])]
        who = {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []} if self.account else {}
        with open(self.folder / "output", "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder, start_new_session=True,
                                            env=environment(USE_ZEND_ALLOC="1"), **who)
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Failed(f"apache2 does not start: {last_line(self.said())}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.1)
        self.__exit__(None, None, None)
        raise Failed(f"apache2 does not listen after {WAIT} s: {last_line(self.said())}")

    def __exit__(self, *_):
        """Ends it as an administrator would; by force what is still there a minute later."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(WAIT)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def said(self):
        log = self.error_log.read_text(errors="replace") if self.error_log.exists() else ""
        return (self.folder / "output").read_text(errors="replace") + log

    def children(self):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == self.process.pid:
                        found.append(int(entry.name))
                except (OSError, IndexError):
                    pass
        return sorted(found)

    def graceful(self):
        """Restarts gracefully and waits until the new configuration is in force, and for a while until the children of the one before have
        ended: those that are idle may notice later."""
        before, old = self.said().count("resuming normal operations"), set(self.children())
        self.process.send_signal(signal.SIGUSR1)
        start = time.monotonic()
        while self.said().count("resuming normal operations") == before:
            if self.process.poll() is not None or time.monotonic() - start > WAIT:
                raise Failed(f"apache2 did not come through a graceful restart: {last_line(self.said())}")
            time.sleep(0.02)
        while old & set(self.children()) and time.monotonic() - start < 3:
            time.sleep(0.02)

    def memory(self):
        """Resident bytes of the parent, and of all its children."""
        return resident(self.process.pid), sum(map(resident, self.children()))

    def spent(self):
        """CPU time of all children, so far: (user, user and system)."""
        return tuple(map(sum, zip(*map(seconds, self.children()))))

    def unexpected(self):
        """What its log should not say: a child that died, above all."""
        return [line for line in self.said().splitlines() if not EXPECTED.search(line)]
