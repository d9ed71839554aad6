// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Toolchain.h - where clang, lld and Freehold's own parts lie.
//
// Own parts are found relative to the program itself, so that freehold-cc runs from the build folder, from any prefix and after
// being moved: PREFIX/bin, PREFIX/lib, PREFIX/share/freehold/models, PREFIX/libexec/freehold/ld.lld (this same program, which
// clang runs as its linker). LLVM's parts are those found at configure time; without them PATH is searched.
#pragma once

#include <string>

namespace freehold::cc {

struct Toolchain {
  std::string Self;         // this program, links resolved
  std::string Clang;        // clang-19 or clang++-19
  std::string ClangName;    // what it calls itself in messages
  std::string Lld, Objcopy; // ld.lld and llvm-objcopy of LLVM 19
  std::string LlvmLink, Opt;
  std::string Plugin, Archive, SharedLibrary, Models, LinkerShim;
  std::string CArchive; // Archive without operator new and delete
  /// Empty if all parts that a step needs are there, else the first one that is not.
  std::string missing(bool Links) const;
};

Toolchain findToolchain(bool Cxx);

} // namespace freehold::cc
