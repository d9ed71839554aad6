// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorGlobals.cpp - what a compiler and a linker are given for thread-safe globals, mode by mode: the switch and the library,
// for executables and for shared libraries.

#include "DoctorReport.h"
#include "Paths.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace freehold {
namespace {

std::string real(const Twine &Path) {
  SmallString<256> Real;
  return sys::fs::real_path(Path, Real) ? "" : Real.str().str();
}

/// The folder with libfreehold-tsrm-*: lib beside this program's folder, or what the system calls it.
std::string libraryFolder() {
  for (const char *Folder : {"lib", "lib/x86_64-linux-gnu", "lib64"})
    if (std::string Path = real(programFolder() + "/../" + Folder); sys::fs::exists(Path + "/libfreehold-tsrm-static.a"))
      return Path;
  return "";
}

/// The folder with freehold/globals.h; a build folder has a link to it.
std::string includeFolder() {
  std::string Path = real(programFolder() + "/../include");
  return sys::fs::exists(Path + "/freehold/globals.h") ? Path : "";
}

} // namespace

std::vector<GlobalsFacts> examineGlobals(bool GsFree) {
  std::string Libraries = libraryFolder(), Include = includeFolder();
  std::vector<GlobalsFacts> All;
  if (Libraries.empty() || Include.empty())
    return All;
  auto Switch = [](StringRef Mode) { return "-DFREEHOLD_GLOBALS_" + Mode.upper() + "=1"; };
  auto Archive = [&](StringRef Mode) { return Libraries + "/libfreehold-tsrm-" + Mode.str() + ".a -pthread -rdynamic"; };
  auto Shared = [&](StringRef Mode) {
    return "-L" + Libraries + " -Wl,-rpath," + Libraries + " -lfreehold-tsrm-" + Mode.str() + " -pthread";
  };
  std::string Common = "-I" + Include + " ", Dso = " -DFREEHOLD_GLOBALS_DSO=1 -fPIC";
  for (StringRef Mode : {"static", "gs", "cached", "pointer", "passed", "classic"})
    All.push_back({Mode.str(), Common + Switch(Mode), Archive(Mode), Common + Switch(Mode) + Dso, Shared(Mode)});
  StringRef InLibraries = GsFree ? "gs" : "cached";
  // No switch is auto, too; but what gs is to auto, the machine decides here and the compiler there.
  All.push_back({"auto", "-I" + Include, Archive("static"), Common + Switch(InLibraries) + Dso, Shared(InLibraries)});
  return All;
}

} // namespace freehold
