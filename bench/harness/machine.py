# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""machine - where a number comes from: allocators with version and TLS model, kernel, processor, huge pages."""
import glob, os, platform, subprocess

# name, library patterns, Debian packages that bring it (the first installed counts)
PEERS = (
    ("mimalloc", ("libmimalloc.so.3", "libmimalloc.so.2"), ("libmimalloc3", "libmimalloc2.0")),
    ("jemalloc", ("libjemalloc.so.2",), ("libjemalloc2",)),
)


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def package_version(*names):
    for name in names:
        answer = output("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name).split()
        if len(answer) == 2 and answer[0] == "installed":
            return f"{name} {answer[1]}"
    return ""


def peers():
    """(name, path of its library or None, package and version, package to install)"""
    found = []
    for name, libraries, packages in PEERS:
        paths = [p for lib in libraries for p in sorted(glob.glob(f"/usr/lib/*/{lib}") + glob.glob(f"/usr/lib/{lib}"))]
        wanted = packages[-1] if "VERSION_ID=\"12\"" in read("/etc/os-release") else packages[0]
        found.append((name, paths[0] if paths else None, package_version(*packages), wanted))
    return found


def tls_model(path, executable=False):
    """How the code of this file reaches its thread-local data, read from the file."""
    headers = output("readelf", "-lW", path)
    if not headers:
        return "unknown (no readelf)"
    if " TLS " not in headers:
        return "none"
    if executable:
        return "local-exec"
    relocations = output("readelf", "-rW", path)
    models = [model for mark, model in (("TLSDESC", "TLSDESC"), ("DTPMOD", "global-dynamic"), ("TPOFF", "initial-exec"))
              if mark in relocations.replace("DTPOFF", "")]
    return "+".join(models) or "local-exec"


def describe(compilers):
    cpu = next((line.split(":", 1)[1].strip() for line in read("/proc/cpuinfo").splitlines() if line.startswith("model name")), "")
    return {
        "system": next((l.split("=", 1)[1].strip('"') for l in read("/etc/os-release").splitlines() if l.startswith("PRETTY_NAME=")), ""),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": cpu,
        "cpus": os.cpu_count(),
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "unknown",
        "thp": read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load": read("/proc/loadavg").split()[0] if read("/proc/loadavg") else "",
        "libc": platform.libc_ver()[0] + " " + platform.libc_ver()[1],
        "libc_package": package_version("libc6"),
        "compilers": compilers,
    }
