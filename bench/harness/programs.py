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
