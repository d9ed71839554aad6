// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CommandLine.h - what a clang command line asks for, as far as Freehold must know it.
//
// It never changes what clang is told: it only decides whether the command compiles C or C++ to objects, links, or does something
// that Freehold has no part in. When in doubt the command is clang's alone.
#pragma once

#include "Options.h"

namespace freehold::cc {

enum class Step {
  PassThrough, // clang as given, not a word from us
  Compile,     // to objects (-c)
  Link,        // links, and compiles first if there are sources
};

struct Input {
  std::string Path;
  bool IsSource; // C or C++ that clang compiles to an object
};

struct CommandLine {
  Step What = Step::PassThrough;
  Strings Args; // for clang: response files read, our own options taken out
  Options Own;
  std::string Error; // a usage error
  std::string Aside; // why Freehold stands aside, said in one line; the command is clang's then
  bool Version = false, Help = false;
  bool Links = false; // also where Freehold stands aside
  bool Relocatable = false;
  bool WantsDebug = false; // the user asked for debug information
  bool LldAsked = false;   // -fuse-ld=lld: what a plain link would use
  bool LtoAsked = false;   // -flto: a plain link would take bitcode
  std::string Output;      // -o
  std::vector<Input> Inputs;
  bool hasSources() const;
  /// The objects a compile step leaves.
  Strings objects() const;
};

CommandLine readCommandLine(int Argc, char **Argv);

/// Reads response files in, GNU quoting; a file that cannot be read stays as it is.
Strings expandResponseFiles(const Strings &Args);

/// Text quoted so that a response file gives it back.
std::string quoted(const std::string &Argument);

} // namespace freehold::cc
