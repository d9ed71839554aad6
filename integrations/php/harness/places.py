# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""places - the CLI of a build, linked with its code at four places within a cache line.

Where PHP's interpreter loop comes to lie is chance, and differs from build to build by what is linked before it; it is worth up to a tenth of
the time of bench.php, more than what is to be measured. All code comes behind some bytes of padding here, and the four together count."""
import os
import re

from .builds import Failed, last_line, run

PADDING = (0, 16, 32, 48)  # gcc puts functions at multiples of 16, a cache line has 64


def programs(work, build):
    """Made once for each program of build.sh's; where its objects are gone, that program alone."""
    objects, installed, folder = work.folder / "obj" / f"{build}-cli", work.php(build), work.scratch("places", build)
    makefile = objects / "Makefile.cli"
    if not makefile.exists():
        return [installed]
    flags = re.search(r"^EXTRA_LDFLAGS_PROGRAM *=(.*)$", makefile.read_text(), re.M)
    found = []
    for size in PADDING:
        program = folder / f"php{size}"
        found.append(program)
        if program.exists() and program.stat().st_mtime > installed.stat().st_mtime:
            continue
        program.unlink(missing_ok=True)
        source, padding = folder / f"padding{size}.s", folder / f"padding{size}.o"
        source.write_text(f'.text\n.p2align 6\n.skip {size + 64}\n.section .note.GNU-stack,"",@progbits\n')
        must(["cc", "-c", source, "-o", padding])
        must([*os.environ.get("MAKE", "make").split(), "-C", objects, "-f", makefile.name, f"SAPI_CLI_PATH={program}",
              f"EXTRA_LDFLAGS_PROGRAM={flags.group(1) if flags else ''} {padding}", program])
    return found


def must(command):
    code, output = run(command, 600)
    if code != 0:
        raise Failed(f"{command[0]} ended with {code}: {last_line(output)}")
