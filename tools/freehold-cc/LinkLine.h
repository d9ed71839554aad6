// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinkLine.h - the linker's command line as clang wrote it, and what Freehold must know of it.
//
// Read here, after clang, the line is complete: response files, -Wl, and -Xlinker are resolved, C++'s libraries and start files
// are in their places, temporary objects have names.
#pragma once

#include "Objects.h"
#include "Process.h"

#include <map>

namespace freehold::cc {

struct LinkInput {
  size_t At;        // its argument
  std::string Path; // where it was found; empty for a library that was not
  InputFacts Facts;
  std::string Natively;  // why its native half is linked; empty: its bitcode is
  bool Scripted = false; // named by the linker script at At
};

struct LinkLine {
  Strings Args;
  std::string Output = "a.out";
  bool Shared = false, Relocatable = false, PrintsOnly = false, HasLibc = false, ExcludesLibs = false;
  bool Scripted = false;       // a linker script beside the default one
  bool Bitcode = false;        // some input carries it
  bool BitcodeObject = false;  // and one that is no archive, so it is surely linked
  bool DefinesMalloc = false;  // some input that clang did not add by itself
  Strings Wrapped;             // --wrap, --defsym, assigned by a linker script
  std::set<std::string> Wraps; // --wrap alone
  Strings VersionScripts;
  std::vector<LinkInput> Inputs; // the user's: not the C library's and the compiler's own
  size_t LibrariesAt = 0;        // where the user's inputs end and the compiler's libraries begin
  bool hidesEverything() const;  // a version script with local: *
  /// What our bitcode calls and a plain part of the link, the C library aside, defines: no model holds for it. By the input.
  std::map<std::string, const LinkInput *> plainDefinitions() const;
};

LinkLine readLinkLine(const Strings &Args);

/// The line of a link of the native halves: without --fat-lto-objects and, unless the user asked for LTO, the plugin's options.
Strings nativeLine(const Strings &Args, bool LtoAsked);

} // namespace freehold::cc
