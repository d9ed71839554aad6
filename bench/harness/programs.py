# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""programs - which benchmark programs there are, and how much work each does: normally, quickly, and when instructions are
counted by simulation. The number of threads is the runner's; what is here is each program's other options."""

# name: (normal, quick, counted, default number of threads). Empty: the program's own defaults.
PROGRAMS = {
    "cache-thrash": ("", "-i 15000", "-i 200 -r 200", 2),
    "cache-scratch": ("", "-i 15000", "-i 200 -r 200", 2),
    "threadtest": ("", "-r 250", "-r 10", 2),
    "linux-scalability": ("", "-r 5000000", "-r 100000", 2),
    "shbench": ("", "-r 3000", "-r 100", 2),
    "larson": ("", "-g 30", "-g 4 -r 10000", 2),
    "consume": ("", "-r 1500", "-r 100", 2),
    "zlib-threads": ("-r 1000 -f 100", "-r 300 -f 30", "-r 2 -f 1", 4),
}

# Sources beside the program's own: name of bench/fetch, its files, the flags all of the program is compiled with.
EXTRA = {
    "zlib-threads": ("zlib",
                     "adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees "
                     "uncompr zutil".split(),
                     ["-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"]),
}


def arguments(name, size, threads):
    """Command line of a program; size is 0 normal, 1 quick, 2 counted."""
    options = PROGRAMS[name][size].split()
    return ["-t", str(threads or PROGRAMS[name][3])] + options

# The rows of bench/heap: name: (program, normal options, quick options, threads, megabytes touched before each run, group).
# Each does a fixed amount of work, 0.1 to 0.3 s with a good allocator. Memory is touched before (and given back) where much of it
# is used, so that all meet the same machine: a hypervisor backs pages lazily, and who runs after a big process gets cheap ones.
_SEVEN = {
    "cache-thrash": ("-i 50000 -r 400", "-i 12000 -r 400"),
    "cache-scratch": ("-i 50000 -r 400", "-i 12000 -r 400"),
    "threadtest": ("-r 400", "-r 100"),
    "linux-scalability": ("-r {20000000}", "-r {4000000}"),
    "shbench": ("-r {6000}", "-r {1500}"),
    "larson": ("-g 60 -r {100000}", "-g 15 -r {100000}"),
    "consume": ("-r {12000}", "-r {3000}"),
}
_MORE = {
    "prodcons-batch": ("prodcons", "-b 100 -r {16000000}", "-b 100 -r {4000000}", (2, 8), 0, "hand-over"),
    "prodcons-single": ("prodcons", "-b 1 -l 8192 -r {16000000}", "-b 1 -l 8192 -r {4000000}", (2, 8), 0, "hand-over"),
    "xmalloc": ("xmalloc", "-r {80000}", "-r {20000}", (1, 2, 8), 0, ""),
    "fresh-64": ("fresh", "-s 64 -m 192", "-s 64 -m 64", (1,), 384, "fresh"),
    "fresh-512": ("fresh", "-s 512 -m 192", "-s 512 -m 64", (1,), 384, "fresh"),
    "fresh-4k": ("fresh", "-s 4096 -m 192", "-s 4096 -m 64", (1,), 384, "fresh"),
    "fresh-64k": ("fresh", "-s 65536 -m 192", "-s 65536 -m 64", (1,), 384, "fresh"),
    "fresh-1m": ("fresh", "-s 1048576 -m 192", "-s 1048576 -m 64", (1,), 384, "fresh"),
    "linux-scal20": ("fresh", "-s 512 -m 40 -r 20", "-s 512 -m 40 -r 5", (1, 2, 8), 128, "fresh"),
    "large": ("large", "-r 40", "-r 15", (1,), 600, "fresh"),
}


def heap_rows():
    """{name-threads: (program, normal arguments, quick arguments, megabytes touched before, group)}; {N} is divided among threads."""
    rows = {}
    every = {name: (name, normal, quick, (1, 2, 8), 0, "") for name, (normal, quick) in _SEVEN.items()} | _MORE

    def words(options, threads):
        return ["-t", str(threads)] + [str(int(w[1:-1]) // threads) if w.startswith("{") else w for w in options.split()]

    for name, (program, normal, quick, counts, touched, group) in every.items():
        for threads in counts:
            rows[f"{name}-{threads}"] = (program, words(normal, threads), words(quick, threads), touched, group)
    return rows
