# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configuration of all lit suites. Substitutions: %freehold %freehold-cc %freehold-c++ %clang %clang++ %plugin %libdir %models.
# REQUIRES features: root.
import os

import lit.formats

config.name = "freehold"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".ll", ".test"]
# The other folders are ctest's: what they hold has no RUN lines.
suites = ["check", "cli", "rewrite"]
folders = [entry.name for entry in os.scandir(os.path.join(config.freehold_source, "tests")) if entry.is_dir()]
config.excludes = ["Inputs", "CMakeLists.txt"] + sorted(set(folders) - set(suites))
config.test_source_root = os.path.join(config.freehold_source, "tests")
config.test_exec_root = os.path.join(config.freehold_build, "tests")

binaries = os.path.join(config.freehold_build, "bin")
libraries = os.path.join(config.freehold_build, "lib")
# longest names first: lit replaces in this order
config.substitutions += [
    ("%freehold-c\\+\\+", os.path.join(binaries, "freehold-c++")),
    ("%freehold-cc", os.path.join(binaries, "freehold-cc")),
    ("%freehold", os.path.join(binaries, "freehold")),
    ("%clang\\+\\+", os.path.join(config.llvm_bin, "clang++")),
    ("%clang", os.path.join(config.llvm_bin, "clang")),
    ("%plugin", os.path.join(libraries, "FreeholdPlugin.so")),
    ("%libdir", libraries),
    ("%models", os.path.join(config.freehold_build, "share", "freehold", "models")),
]
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, config.environment.get("PATH", "")])
for name in list(config.environment):
    if name.startswith("FREEHOLD_"):
        del config.environment[name]
if os.geteuid() == 0:
    config.available_features.add("root")
