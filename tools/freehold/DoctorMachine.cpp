// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorMachine.cpp - what this machine offers: processor, kernel, C library, compilers, allocators.

#include "DoctorProbes.h"
#include "Paths.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

using namespace llvm;

namespace freehold {
namespace {

std::string firstLine(StringRef File) {
  auto Buffer = MemoryBuffer::getFileAsStream(File);
  return Buffer ? (*Buffer)->getBuffer().take_until([](char C) { return C == '\n'; }).trim().str() : "";
}

/// "always [madvise] never": the one in brackets.
std::string chosen(StringRef Line) {
  StringRef Rest = Line.split('[').second;
  return (Rest.empty() ? Line : Rest.split(']').first).str();
}

std::string libc() {
  char Name[128];
  size_t Length = confstr(_CS_GNU_LIBC_VERSION, Name, sizeof Name);
  return Length > 0 && Length <= sizeof Name ? Name : "unknown";
}

std::string processor() {
  auto Buffer = MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (Buffer) {
    StringRef Line = (*Buffer)->getBuffer().split("model name").second.take_until([](char C) { return C == '\n'; });
    if (!Line.empty())
      return Line.split(':').second.trim().str();
  }
  return sys::getHostCPUName().str();
}

/// Runs a compiler on a line of C that has a thread-local variable; the assembly, empty if it was refused.
std::string assembly(StringRef Compiler, ArrayRef<StringRef> Flags) {
  SmallString<128> Source, Result, Errors;
  if (sys::fs::createTemporaryFile("freehold-doctor", "c", Source) ||
      sys::fs::createTemporaryFile("freehold-doctor", "s", Result))
    return "";
  std::error_code EC;
  raw_fd_ostream(Source, EC) << "extern _Thread_local int own;\nint get(void) { return own; }\n";
  SmallVector<StringRef, 12> Args = {Compiler, "-std=c11", "-O2", "-fPIC", "-S", Source, "-o", Result};
  Args.append(Flags.begin(), Flags.end());
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(), StringRef()};
  std::string Text;
  if (sys::ExecuteAndWait(Compiler, Args, std::nullopt, Redirects, /*SecondsToWait=*/20) == 0)
    if (auto Buffer = MemoryBuffer::getFile(Result))
      Text = (*Buffer)->getBuffer().str();
  sys::fs::remove(Source);
  sys::fs::remove(Result);
  return Text;
}

std::string versionOf(StringRef Compiler) {
  SmallString<128> Result;
  if (sys::fs::createTemporaryFile("freehold-doctor", "txt", Result))
    return "";
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Result), StringRef()};
  sys::ExecuteAndWait(Compiler, {Compiler, "--version"}, std::nullopt, Redirects, 20);
  std::string Line = firstLine(Result);
  sys::fs::remove(Result);
  return Line;
}

std::vector<CompilerFacts> compilers() {
  std::vector<CompilerFacts> All;
  std::vector<std::string> Seen;
  for (StringRef Name : {StringRef("clang-19"), StringRef("clang"), StringRef("gcc"), StringRef("cc")}) {
    auto Path = sys::findProgramByName(Name);
    SmallString<256> Real;
    if (!Path || sys::fs::real_path(*Path, Real) || is_contained(Seen, Real.str()))
      continue;
    Seen.push_back(Real.str().str());
    CompilerFacts C{Name.str(), versionOf(*Path), !assembly(*Path, {}).empty(), false};
    std::string Gnu2 = assembly(*Path, {"-mtls-dialect=gnu2"});
    C.Tlsdesc = StringRef(Gnu2).contains_insensitive("@tlsdesc");
    All.push_back(std::move(C));
  }
  return All;
}

std::vector<AllocatorFacts> allocators() {
  std::vector<AllocatorFacts> All;
  const StringRef Names[] = {"freehold",         "mimalloc",     "jemalloc", "tcmalloc",
                             "tcmalloc_minimal", "snmallocshim", "rpmalloc", "hoard"};
  std::string Own = programFolder() + "/../lib", Multiarch = programFolder() + "/../" FREEHOLD_LIBDIR;
  std::vector<std::string> Seen;
  for (StringRef Folder :
       {StringRef(Own), StringRef(Multiarch), StringRef("/usr/local/lib"), StringRef("/usr/lib/x86_64-linux-gnu"),
        StringRef("/lib/x86_64-linux-gnu"), StringRef("/usr/lib64"), StringRef("/usr/lib")}) {
    std::error_code EC;
    for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End; I.increment(EC)) {
      StringRef File = sys::path::filename(I->path());
      auto [Stem, Rest] = File.split(".so");
      SmallString<256> Real;
      if (!Stem.consume_front("lib") || !File.contains(".so") || !is_contained(Names, Stem) ||
          sys::fs::real_path(I->path(), Real) || is_contained(Seen, Real.str()))
        continue;
      Seen.push_back(Real.str().str());
      All.push_back({Stem.str(), Real.str().str()});
    }
  }
  std::sort(All.begin(), All.end(),
            [](const AllocatorFacts &A, const AllocatorFacts &B) { return std::tie(A.Name, A.File) < std::tie(B.Name, B.File); });
  return All;
}

unsigned protectionKeys() {
  std::vector<int> Keys;
  for (int Key; (Key = pkey_alloc(0, PKEY_DISABLE_ACCESS)) > 0;)
    Keys.push_back(Key);
  for (int Key : Keys)
    pkey_free(Key);
  return Keys.size();
}

} // namespace

MachineFacts examineMachine() {
  MachineFacts M;
  utsname Name;
  if (uname(&Name) == 0)
    M.Kernel = std::string(Name.sysname) + " " + Name.release;
  M.Libc = libc();
  M.Processor = processor();
  M.HugePages = chosen(firstLine("/sys/kernel/mm/transparent_hugepage/enabled"));
  if (const char *Tunables = getenv("GLIBC_TUNABLES"))
    M.Tunables = Tunables;
  M.PageSize = sysconf(_SC_PAGESIZE);
  rlimit Limit;
  if (getrlimit(RLIMIT_AS, &Limit) == 0 && Limit.rlim_cur != RLIM_INFINITY)
    M.AddressSpaceLimit = Limit.rlim_cur;
  M.Fsgsbase = getauxval(AT_HWCAP2) & 2; // HWCAP2_FSGSBASE
  M.ProtectionKeys = protectionKeys();
  M.Compilers = compilers();
  M.Allocators = allocators();
  measureSurplus(M);
  measureModels(M);
  return M;
}

} // namespace freehold
