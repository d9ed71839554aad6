// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects.h - what the linker's inputs carry, read without LLVM: a native half, a bitcode half, and whether the two still agree.
//
// A fat object holds its code twice: as native code and as bitcode in the section .llvm.lto. objcopy --redefine-sym or --weaken
// change the native half alone, ld -r of binutils concatenates several bitcode files into one section. Linking the bitcode half
// of such an object would silently undo the change, or kill the link: so both halves' symbols are compared before it.
#pragma once

#include "Process.h"

#include <set>
#include <string>
#include <string_view>

namespace freehold::cc {

struct InputFacts {
  bool Archive = false, Thin = false, Shared = false;
  bool Bitcode = false;        // some part carries a bitcode half or is bitcode
  bool BitcodeOnly = false;    // some part is bitcode without a native half
  bool Foreign = false;        // some bitcode is another compiler's: without our summary
  bool Debug = false;          // some native half has debug information
  bool NoBitcode = false;      // some part is native code alone
  bool DefinesMalloc = false;  // a definition that others can see
  std::string Difference;      // how the halves differ, empty if they agree
  std::set<std::string> Plain; // what plain parts define for others
  std::set<std::string> Ours;  // what parts with a bitcode half define
  std::set<std::string> Needs; // what parts with a bitcode half have from elsewhere
};

/// Reads an object, an archive or a shared library; what is neither has no facts.
InputFacts inspect(const std::string &Path);

/// Writes an object's bitcode half to File; false if it has none.
bool extractBitcode(const std::string &Object, const std::string &File);

/// Writes every member of an archive of objects into Folder; returns the paths, none if something went wrong.
Strings extractMembers(const std::string &Archive, const std::string &Folder);

} // namespace freehold::cc
