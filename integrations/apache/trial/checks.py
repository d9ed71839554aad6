# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""checks - httpd under load: right answers, graceful restarts, PHP taken out and put back, memory."""
import re
import subprocess
import time
import urllib.request

from harness.builds import Failed, environment, last_line, run

MIB = 2**20


class Load:
    """The load generator of examples/host, which reads every answer."""

    def __init__(self, program, port, plan, requests, clients=16):
        self.process = subprocess.Popen([str(program), "load", "--port", str(port), "--requests", str(requests), "--clients", str(clients),
                                         "--seconds", "900", str(plan)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment())

    def running(self):
        return self.process.poll() is None

    def finish(self, lose=False):
        """How many requests got no answer: their connection ended without one. Failed if an answer was wrong; and, unless they may be lost,
        if one is missing."""
        output, _ = self.process.communicate()
        counted = re.search(r"(\d+) right, (\d+) wrong \((\d+) of them", output)
        right, wrong, lost = map(int, counted.groups()) if counted else (0, 1, 0)
        if wrong > (lost if lose else 0) or not right or "gave up" in output:
            raise Failed(" | ".join(output.strip().splitlines()[-3:]))
        return lost


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        return answer.read().decode(errors="replace")


def answers(httpd, tools, requests):
    """The plan by its own generator, then one page by ab."""
    Load(tools.load, httpd.port, tools.plan, requests // 4).finish()
    first = httpd.memory()
    Load(tools.load, httpd.port, tools.plan, requests).finish()
    command = ["ab", "-q", "-n", str(requests), "-c", "16", f"http://127.0.0.1:{httpd.port}/work.php?id=1"]
    code, output = run(command, 900)
    if code or not re.search(r"Failed requests: +0$", output, re.M) or "Non-2xx" in output:
        raise Failed(f"ab: {last_line(output)}")
    rate = re.search(r"Requests per second: +([\d.]+)", output)
    last = httpd.memory()
    return {"requests": requests, "ab_per_second": float(rate.group(1)), "children_first": first[1] / MIB, "children_last": last[1] / MIB}


def restarts(httpd, tools, requests, times):
    """Graceful restarts while requests are under way: httpd unloads libphp.so and loads it again at each."""
    before, done, asked, lost = httpd.memory(), 0, 0, 0
    while done < times:
        load = Load(tools.load, httpd.port, tools.plan, requests)
        asked += requests
        while load.running() and done < times:
            httpd.graceful()
            done += 1
            if done == 2:
                before = httpd.memory()
        lost += load.finish(lose=True)
    Load(tools.load, httpd.port, tools.plan, 200).finish()
    return {"restarts": done, "requests": asked, "lost": lost, "parent_first": before[0] / MIB, "parent_last": httpd.memory()[0] / MIB}


def reloads(httpd, tools, times):
    """PHP's module taken out and put back by graceful restarts, with requests for what needs no PHP under way."""
    load = Load(tools.load, httpd.port, tools.plain, 20000, clients=4)
    for _ in range(times):
        httpd.configure(php=False)
        httpd.graceful()
        expect(httpd, "<?php")
        httpd.configure(php=True)
        httpd.graceful()
        expect(httpd, "hello, world\n")
    lost = load.finish(lose=True)
    Load(tools.load, httpd.port, tools.plan, 200).finish()
    return {"reloads": times, "lost": lost}


def expect(httpd, text):
    """A child of the configuration before may answer first."""
    deadline = time.monotonic() + 30
    while not (got := get(httpd.port, "/hello.php")).startswith(text):
        if time.monotonic() > deadline:
            raise Failed(f"/hello.php gives {got[:60]!r}, not {text!r}")
        time.sleep(0.05)
