// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths.h - where this program's companions lie. All is found from the program's own place, so that a copied or moved tree works.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace freehold {

/// argv[0] of main: needed where the system cannot tell the program's path.
void rememberProgram(const char *Argv0);
/// Folder of the running program, links resolved.
std::string programFolder();
/// share/freehold/models beside it; empty if there is none.
std::string modelsFolder();
/// A program beside this one; empty if there is none.
std::string companion(llvm::StringRef Name);
/// clang of the LLVM version we were built with; empty if there is none.
std::string findClang(bool CPlusPlus);

} // namespace freehold
