# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""programs - the real programs, what each does, and what of it must be the same with and without Freehold. Each `work` gets a Setting
and returns what is compared; a wrong answer in between is a Failure."""
import collections
import concurrent.futures
import hashlib
import http.client
import os
import random
import signal
import socket

from harness import PATH, Failure, free_port

__all__ = ["PATH", "PROGRAMS"]

Program = collections.namedtuple("Program", "what needs work")
PYTHON = os.path.basename(os.path.realpath("/usr/bin/python3"))  # python3.11


def redis(setting):
    port = free_port()
    server = setting.serve(port, "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                           "--io-threads", "2", "--activedefrag", "no")
    done = setting.plain("redis-benchmark", "-p", port, "-n", 20000, "-c", 32, "-d", 300, "-r", 5000, "-P", 8, "-q", "-t",
                         "set,get,incr,lpush,rpush,lpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset")
    if "error" in done.lower() or done.count("requests per second") < 12:
        raise Failure(f"redis-benchmark: {done[-300:]}")
    cli = ["redis-cli", "-p", port]
    for i in range(50):
        setting.plain(*cli, "set", f"own:{i}", "x" * (i * 97))
    setting.plain(*cli, "bgsave")  # a child by fork that walks the whole heap
    lengths = [setting.plain(*cli, "strlen", f"own:{i}").strip() for i in range(50)]
    for _ in range(200):
        if "rdb_bgsave_in_progress:0" in setting.plain(*cli, "info", "persistence"):
            break
    saved = "rdb_last_bgsave_status:ok" in setting.plain(*cli, "info", "persistence")
    setting.plain(*cli, "flushall")
    setting.end(server)
    return " ".join(lengths) + (" saved" if saved else " not saved")


def memcached_client(port, seed):
    """Sets, gets and deletes values of all sizes, and compares every answer with what it stored."""
    rng, kept, checked = random.Random(seed), {}, 0
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        stream = connection.makefile("rwb")
        for _ in range(3000):
            key = f"k{seed}-{rng.randrange(400)}"
            what = rng.random()
            if what < 0.5:
                kept[key] = rng.randbytes(int(2 ** rng.uniform(0, 15)))
                stream.write(b"set %s 0 0 %d\r\n%s\r\n" % (key.encode(), len(kept[key]), kept[key]))
                stream.flush()
                good = stream.readline() == b"STORED\r\n"
            elif what < 0.9:
                stream.write(b"get %s\r\n" % key.encode())
                stream.flush()
                line, value = stream.readline(), None
                if line.startswith(b"VALUE"):
                    value = stream.read(int(line.split()[3]) + 2)[:-2]
                    stream.readline()
                good = value == kept.get(key)
                checked += 1
            else:
                stream.write(b"delete %s\r\n" % key.encode())
                stream.flush()
                good = stream.readline() == (b"DELETED\r\n" if kept.pop(key, None) is not None else b"NOT_FOUND\r\n")
            if not good:
                raise Failure(f"memcached gave a wrong answer for {key}")
    return checked


def memcached(setting):
    port = free_port()
    user = ["-u", "root"] if os.geteuid() == 0 else []
    server = setting.serve(port, "memcached", *user, "-l", "127.0.0.1", "-p", port, "-t", "4", "-m", "256")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        checked = sum(pool.map(lambda seed: memcached_client(port, seed), range(8)))
    setting.end(server, signal.SIGINT)
    return checked


SQL = """
create table t(a integer primary key, b text, c blob);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
  insert into t select i, printf('row %d of many', i * 7919 % 60000), zeroblob(i % 700) from n;
create index tb on t(b);
select count(*), sum(length(c)), min(b), max(b) from t;
select group_concat(b, ',') from (select b from t where a % 9973 = 1 order by b);
with recursive f(x, y) as (select 0, 1 union all select y, x + y from f limit 80) select max(x) from f;
update t set b = upper(b) where a % 3 = 0;
delete from t where a % 5 = 0;
select count(*), count(distinct b) from t;
select substr(b, 1, 5), count(*), total(length(c)) from t group by 1 order by 2 desc, 1 limit 20;
pragma integrity_check;
vacuum;
select hex(substr(c, 1, 4)), b from t order by b desc limit 5;
"""


def sqlite(setting):
    return hashlib.sha256(setting.run("sqlite3", "data.db", stdin=SQL.encode()).encode()).hexdigest()


def python(setting):
    """Its own test suite for threads; forks, daemon threads and interpreter ends included. It compares its children's standard error,
    so statistics are asked of another run."""
    setting.run("/usr/bin/python3", "-c", "import threading; threading.Thread(target=print).start()")
    shown = setting.run("/usr/bin/python3", "-m", "test", "test_threading", "test_threadsignals", timeout=900, statistics=False)
    result = [line for line in shown.splitlines() if "SUCCESS" in line or line.startswith("Total tests:")]
    if not any("SUCCESS" in line for line in result):
        raise Failure(f"its test suite: {shown[-400:]}")
    return result


def nginx(setting):
    port = free_port()
    root = setting.folder / "www"
    root.mkdir()
    rng = random.Random(7)
    files = {f"/f{i}.txt": rng.randbytes(int(2 ** rng.uniform(0, 20))) for i in range(60)}
    for name, content in files.items():
        (root / name[1:]).write_bytes(content)
    user = "user root;" if os.geteuid() == 0 else ""
    (setting.folder / "nginx.conf").write_text(
        f"{user} daemon off; worker_processes 2; pid nginx.pid; error_log stderr warn; thread_pool pool threads=4;\n"
        "events { worker_connections 256; }\n"
        "http { access_log access.log; gzip on; gzip_types text/plain; client_body_temp_path t1; proxy_temp_path t2;\n"
        "fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5; types { text/plain txt; }\n"
        f"server {{ listen 127.0.0.1:{port}; root www; aio threads=pool; sendfile off; }} }}\n")
    server = setting.serve(port, "nginx", "-p", setting.folder, "-c", "nginx.conf")

    def visit(seed, reloading=False):
        order, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for _ in range(150):
            name = order.choice(sorted(files))
            try:
                connection.request("GET", name)
                content = connection.getresponse().read()
            except (http.client.RemoteDisconnected, ConnectionError):
                if not reloading:
                    raise
                reloading = False  # an old worker closes the connections that it kept, once
                connection.close()
                connection.request("GET", name)
                content = connection.getresponse().read()
            if content != files[name]:
                raise Failure(f"nginx sent other bytes for {name}")
        connection.close()
        return 150

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        visits = sum(pool.map(visit, range(8)))
    server.send_signal(signal.SIGHUP)  # new workers; the old ones end
    visits += visit(99, reloading=True)
    setting.end(server, signal.SIGQUIT)
    if "exited on signal" in setting.complaints():  # a worker: the master starts another one
        raise Failure(f"nginx: {setting.complaints()[-600:]}")
    return visits


def git(setting):
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    setting.environment.update(GIT_AUTHOR_DATE="2020-01-01T00:00:00Z", GIT_COMMITTER_DATE="2020-01-01T00:00:00Z",
                               GIT_CONFIG_NOSYSTEM="1")
    repository, rng = setting.folder / "r", random.Random(3)
    setting.run("git", "init", "-q", "-b", "main", repository)
    for commit in range(12):
        for i in range(40):
            lines = [f"{rng.randrange(10 ** 6)} {rng.randrange(50)}" for _ in range(rng.randrange(400))]
            (repository / f"f{i}.txt").write_text("\n".join(lines))
        setting.run("git", "-C", repository, "add", "-A")
        setting.run("git", "-C", repository, *name, "commit", "-q", "-m", f"c{commit}")
    setting.run("git", "-C", repository, "repack", "-q", "-a", "-d", "-f", "--threads=4", "--window=20")
    setting.run("git", "clone", "-q", "--no-local", repository, "copy")
    setting.run("git", "-C", "copy", "fsck", "--full", "--strict")
    shown = setting.run("git", "-C", "copy", "log", "-p", "--stat") + setting.run("git", "-C", "copy", "blame", "f3.txt")
    return hashlib.sha256(shown.encode()).hexdigest()


def clang(setting):
    """The compiler on generated C++ with much of the standard library: the object file must be the same to the byte."""
    text = "#include <algorithm>\n#include <functional>\n#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n"
    for i in range(30):
        text += (f"std::string f{i}(std::map<std::string, std::vector<int>> m) {{ std::string s; for (auto &p : m) {{ "
                 f"std::sort(p.second.begin(), p.second.end(), [](int a, int b) {{ return a * {i + 3} < b; }}); "
                 f"if (std::regex_match(p.first, std::regex(\"a{i}.*\"))) s += p.first; }} return s; }}\n")
    (setting.folder / "a.cpp").write_text(text)
    setting.run("clang++-19", "-O2", "-g", "-c", "a.cpp", "-o", "a.o")
    return hashlib.sha256(setting.plain("objdump", "-d", "-r", "a.o").encode()).hexdigest()


PROGRAMS = {
    "redis": Program("redis-benchmark's commands, values, a background save", {"redis-server": "redis-server", "redis-cli": "redis-tools"},
                     redis),
    "memcached": Program("8 clients, every answer compared", {"memcached": "memcached"}, memcached),
    "sqlite3": Program("tables, indices, sorting, vacuum", {"sqlite3": "sqlite3"}, sqlite),
    "python3": Program("its own test_threading and test_threadsignals",
                       {"/usr/bin/python3": "python3", f"/usr/lib/{PYTHON}/test/test_threading.py": f"lib{PYTHON}-testsuite"}, python),
    "nginx": Program("8 visitors, thread pool, gzip, reload", {"nginx": "nginx-light"}, nginx),
    "git": Program("commits, threaded repack, clone, fsck, blame", {"git": "git"}, git),
    "clang-19": Program("compiles a file, same code", {"clang++-19": "clang-19", "objdump": "binutils"}, clang),
}
