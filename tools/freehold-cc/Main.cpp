// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Main.cpp - one program under three names: freehold-cc, freehold-c++ (any name with ++ in it), and ld.lld for clang to link
// with.
#include "LinkState.h"

namespace freehold::cc {
int driverMain(int Argc, char **Argv, bool Cxx);
}

int main(int Argc, char **Argv) {
  using namespace freehold::cc;
  std::string Name = fileName(Argc > 0 ? Argv[0] : "freehold-cc");
  if (Name == "ld.lld")
    return linkMain(Strings(Argv + 1, Argv + Argc));
  return driverMain(Argc, Argv, Name.find("++") != std::string::npos);
}
