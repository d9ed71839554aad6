// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths.cpp - see Paths.h.

#include "Paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace freehold {

static const char *ProgramName = "freehold";

void rememberProgram(const char *Argv0) { ProgramName = Argv0; }

std::string programFolder() {
  SmallString<256> Path(sys::fs::getMainExecutable(ProgramName, reinterpret_cast<void *>(&rememberProgram)));
  return sys::path::parent_path(Path).str();
}

std::string modelsFolder() {
  SmallString<256> Path(programFolder());
  sys::path::append(Path, "..", "share", "freehold", "models");
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return sys::fs::is_directory(Path) ? Path.str().str() : "";
}

std::string companion(StringRef Name) {
  SmallString<256> Path(programFolder());
  sys::path::append(Path, Name);
  return sys::fs::can_execute(Path) ? Path.str().str() : "";
}

std::string findClang(bool CPlusPlus) {
  StringRef Plain = CPlusPlus ? "clang++" : "clang";
  StringRef Folders[] = {FREEHOLD_LLVM_BIN};
  if (ErrorOr<std::string> Found = sys::findProgramByName(Plain, Folders))
    return *Found;
  if (ErrorOr<std::string> Found = sys::findProgramByName((Plain + "-19").str()))
    return *Found;
  return "";
}

} // namespace freehold
