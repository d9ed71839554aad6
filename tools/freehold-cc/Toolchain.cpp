// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Toolchain.cpp - finding the parts (see Toolchain.h).
#include "Toolchain.h"
#include "Paths.h"
#include "Process.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace freehold::cc {

static std::string selfPath() {
  char Buffer[PATH_MAX];
  ssize_t N = readlink("/proc/self/exe", Buffer, sizeof Buffer);
  return N > 0 ? std::string(Buffer, size_t(N)) : std::string();
}

/// The configured path if it can be run, else the first of that name in PATH, else the bare name.
static std::string findProgram(const std::string &Configured, const std::string &Name) {
  if (access(Configured.c_str(), X_OK) == 0)
    return Configured;
  const char *Path = getenv("PATH");
  std::string List = Path ? Path : "/usr/bin:/bin";
  for (size_t Begin = 0; Begin <= List.size();) {
    size_t End = std::min(List.find(':', Begin), List.size());
    std::string Candidate = List.substr(Begin, End - Begin) + "/" + Name;
    if (access(Candidate.c_str(), X_OK) == 0)
      return Candidate;
    Begin = End + 1;
  }
  return Name;
}

static std::string firstThere(const std::string &A, const std::string &B) { return !exists(A) && exists(B) ? B : A; }

Toolchain findToolchain(bool Cxx) {
  Toolchain T;
  T.Self = selfPath();
  T.ClangName = Cxx ? "clang++-19" : "clang-19";
  T.Clang = findProgram(Cxx ? FREEHOLD_CLANGXX : FREEHOLD_CLANG, T.ClangName);
  T.Lld = findProgram(FREEHOLD_LLD, "ld.lld-19");
  T.Objcopy = findProgram(FREEHOLD_OBJCOPY, "llvm-objcopy-19");
  T.LlvmLink = findProgram(FREEHOLD_LLVM_LINK, "llvm-link-19");
  T.Opt = findProgram(FREEHOLD_OPT, "opt-19");
  // The linker shim lies two folders below the prefix, the commands one.
  std::string Bin = folderName(T.Self), Prefix = folderName(Bin);
  if (fileName(Bin) == "freehold" && fileName(Prefix) == "libexec")
    Prefix = folderName(Prefix);
  auto Library = [&](const char *Name) { return firstThere(Prefix + "/lib/" + Name, Prefix + "/" FREEHOLD_LIBDIR "/" + Name); };
  T.Plugin = Library("FreeholdPlugin.so");
  T.Archive = Library("libfreehold.a");
  T.CArchive = Library("libfreehold-c.a");
  if (!exists(T.CArchive)) // builds with a sanitizer have no operators
    T.CArchive = T.Archive;
  T.SharedLibrary = Library("libfreehold.so");
  T.Models = Prefix + "/share/freehold/models";
  T.LinkerShim = Prefix + "/libexec/freehold/ld.lld";
  return T;
}

std::string Toolchain::missing(bool Links) const {
  for (const std::string *Part : {&Plugin, &Models})
    if (!exists(*Part))
      return *Part;
  for (const std::string *Part : {&Archive, &SharedLibrary, &LinkerShim, &Lld})
    if (Links && !exists(*Part))
      return *Part;
  return {};
}

} // namespace freehold::cc
