// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinkLine.cpp - reading the linker's command line (see LinkLine.h).
#include "LinkLine.h"
#include "CommandLine.h"

#include <cstdio>
#include <cstring>

namespace freehold::cc {

/// -name, --name, with =VALUE or the value next. True if A is it; Value is taken, I moved on.
static bool takeValue(const Strings &Args, size_t &I, const char *Name, std::string &Value) {
  std::string A = Args[I];
  if (A.size() < 2 || A[0] != '-')
    return false;
  A = A.substr(A[1] == '-' ? 2 : 1);
  size_t N = strlen(Name);
  if (A.compare(0, N, Name) != 0)
    return false;
  if (A.size() > N && A[N] == '=') {
    Value = A.substr(N + 1);
    return true;
  }
  if (A.size() != N || I + 1 >= Args.size())
    return false;
  Value = Args[++I];
  return true;
}

/// Linker options with a separate value, so that the value does not pass for an input.
static bool takesNext(const std::string &A) {
  return isWord(A, "-o -m -z -L -l -u -e -T -h -I -R -Y -y -b -F -f -A -a -c -G -dynamic-linker --dynamic-linker -rpath "
                   "--rpath -rpath-link --rpath-link -soname --soname -plugin --plugin -plugin-opt --plugin-opt -mllvm "
                   "--mllvm -Map --Map -init --init -fini --fini --undefined -undefined --entry --script --output "
                   "--auxiliary --filter --format --oformat --sysroot --hash-style --build-id-link-dir --require-defined "
                   "--retain-symbols-file --dynamic-list --just-symbols --default-script --sort-section --section-start "
                   "-Ttext -Tdata -Tbss --image-base --trace-symbol --export-dynamic-symbol -export-dynamic-symbol "
                   "--export-dynamic-symbol-list --chroot --library --library-path");
}

static bool isCompilersLibrary(const std::string &A) {
  return isWord(A, "-lc -lgcc -lgcc_s -lgcc_eh -lm -lpthread -ldl -lrt -lstdc++ -lc++ -lc++abi -lunwind -latomic");
}

/// Clang's tail: C++'s library, libgcc, libc, the end files. The user's inputs stand before it.
static size_t findLibraries(const Strings &Args) {
  size_t I = Args.size();
  auto IsTail = [](const std::string &A) {
    std::string Name = fileName(A);
    return isCompilersLibrary(A) || begins(Name, "libclang_rt.") || begins(Name, "crt") ||
           isWord(A, "--as-needed --no-as-needed --start-group --end-group -Bstatic -Bdynamic --pop-state --push-state");
  };
  while (I > 0 && IsTail(Args[I - 1]))
    --I;
  // A -lc of the user's further ahead would take malloc first.
  for (size_t J = 0; J < I; ++J)
    if (Args[J] == "-lc")
      return J;
  // State must not leak into the tail, so what only changes it stays with the user.
  while (I < Args.size() && isWord(Args[I], "--end-group --pop-state -Bstatic -Bdynamic --no-as-needed"))
    ++I;
  return I;
}

static std::string findLibrary(const std::string &Name, const Strings &Folders, bool Static) {
  for (const std::string &Folder : Folders) {
    if (Name[0] == ':') {
      if (exists(Folder + "/" + Name.substr(1)))
        return Folder + "/" + Name.substr(1);
      continue;
    }
    std::string Base = Folder + "/lib" + Name;
    if (!Static && exists(Base + ".so"))
      return Base + ".so";
    if (exists(Base + ".a"))
      return Base + ".a";
  }
  return {};
}

namespace {
struct Reader {
  LinkLine Line;
  Strings Folders;
  std::vector<std::pair<size_t, bool>> Libraries; // looked for once all folders are known

  void addInput(size_t At, const std::string &Path);
  void addScript(const std::string &Path);
  bool takeOption(const Strings &Args, size_t &I);
};
} // namespace

/// A linker script, by -T or as an input: what it assigns is redefined as by --defsym.
void Reader::addScript(const std::string &Path) {
  std::string Text;
  if (!readFile(Path, Text))
    return;
  const char *const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$";
  for (size_t At = 0; (At = Text.find('=', At)) != std::string::npos; ++At) {
    size_t End = Text.find_last_not_of(" \t\r\n", At ? At - 1 : 0);
    if (End == std::string::npos || !strchr(Letters, Text[End]))
      continue;
    size_t Begin = Text.find_last_not_of(Letters, End);
    Line.Wrapped.push_back(
        Text.substr(Begin == std::string::npos ? 0 : Begin + 1, End - (Begin == std::string::npos ? -1 : Begin)));
  }
}

static bool isScript(const std::string &Path) {
  char Head[4] = {};
  FILE *F = fopen(Path.c_str(), "re");
  size_t N = F ? fread(Head, 1, sizeof Head, F) : 0;
  if (F)
    fclose(F);
  return N == sizeof Head && memcmp(Head, "\177ELF", 4) != 0 && memcmp(Head, "!<", 2) != 0 && memcmp(Head, "BC\xc0\xde", 4) != 0;
}

void Reader::addInput(size_t At, const std::string &Path) {
  LinkInput Input{At, Path, {}};
  if (!Path.empty())
    Input.Facts = inspect(Path);
  if (!Path.empty() && isScript(Path))
    addScript(Path);
  Line.Bitcode |= Input.Facts.Bitcode;
  Line.BitcodeObject |= Input.Facts.Bitcode && !Input.Facts.Archive && Input.Facts.Difference.empty();
  Line.DefinesMalloc |= Input.Facts.DefinesMalloc;
  Line.Inputs.push_back(Input);
}

bool Reader::takeOption(const Strings &Args, size_t &I) {
  const std::string &A = Args[I];
  std::string Value;
  if (isWord(A, "-shared --shared -Bshareable"))
    Line.Shared = true;
  else if (isWord(A, "-r -i --relocatable -relocatable"))
    Line.Relocatable = true;
  else if (isWord(A, "--version -version --help -help -V -v --target-help --print-output-format --verbose"))
    Line.PrintsOnly = true;
  else if (A == "-o" && I + 1 < Args.size())
    Line.Output = Args[++I];
  else if (takeValue(Args, I, "output", Value))
    Line.Output = Value;
  else if (takeValue(Args, I, "wrap", Value))
    Line.Wrapped.push_back(Value);
  else if (takeValue(Args, I, "defsym", Value))
    Line.Wrapped.push_back(Value.substr(0, Value.find('=')));
  else if (takeValue(Args, I, "version-script", Value))
    Line.VersionScripts.push_back(Value);
  else if (takeValue(Args, I, "exclude-libs", Value))
    Line.ExcludesLibs = true;
  else if (A == "-T" && I + 1 < Args.size())
    addScript(Args[++I]);
  else if (takeValue(Args, I, "script", Value))
    addScript(Value);
  else if (A == "-L" && I + 1 < Args.size())
    Folders.push_back(Args[++I]);
  else if (begins(A, "-L"))
    Folders.push_back(A.substr(2));
  else if (takesNext(A) && A != "-l" && A != "--library")
    ++I;
  else
    return false;
  return true;
}

LinkLine readLinkLine(const Strings &Given) {
  Reader R;
  Strings Args = expandResponseFiles(Given);
  bool Static = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &A = Args[I];
    if (isWord(A, "-static -Bstatic -dn -non_shared"))
      Static = true;
    else if (isWord(A, "-Bdynamic -dy -call_shared"))
      Static = false;
    else if (R.takeOption(Args, I))
      continue;
    else if (A == "-lc")
      R.Line.HasLibc = true;
    else if (begins(A, "-l") && A.size() > 2 && !isCompilersLibrary(A))
      R.Libraries.push_back({I, Static});
    else if (A[0] != '-') {
      std::string Name = fileName(A);
      R.Line.HasLibc |= Name == "libc.a" || Name == "libc.so" || Name == "libc.so.6";
      if (!begins(Name, "crt") && !begins(Name, "libclang_rt.") && Name != "Scrt1.o" && Name != "rcrt1.o" && Name != "gcrt1.o" &&
          !begins(Name, "libc."))
        R.addInput(I, A);
    }
  }
  for (const auto &[At, IsStatic] : R.Libraries)
    R.addInput(At, findLibrary(Args[At].substr(2), R.Folders, IsStatic));
  R.Line.LibrariesAt = findLibraries(Args);
  R.Line.Args = Args;
  return R.Line;
}

bool LinkLine::hidesEverything() const {
  for (const std::string &Path : VersionScripts) {
    std::string Text;
    readFile(Path, Text);
    for (size_t Begin; (Begin = Text.find("/*")) != std::string::npos;)
      Text.erase(Begin, std::min(Text.find("*/", Begin), Text.size() - 2) + 2 - Begin);
    for (size_t At = 0; (At = Text.find("local", At)) != std::string::npos; ++At) {
      size_t End = std::min(Text.find_first_of("}", At), Text.size());
      std::string Part = Text.substr(At + 5, End - At - 5);
      size_t Colon = Part.find_first_not_of(" \t\r\n");
      size_t Star = Part.find('*');
      // local: ... *;  with the star as a name of its own
      if (Colon != std::string::npos && Part[Colon] == ':' && Star != std::string::npos &&
          strchr(" \t\r\n;:\"", Part[Star - 1]) && (Star + 1 >= Part.size() || strchr(" \t\r\n;\"", Part[Star + 1])))
        return true;
    }
  }
  return false;
}

Strings nativeLine(const Strings &Args, bool LtoAsked) {
  Strings Result;
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &A = Args[I];
    if (A == "-plugin" && !LtoAsked)
      ++I;
    else if (A != "--fat-lto-objects" && (LtoAsked || (!begins(A, "-plugin-opt") && !begins(A, "--plugin-opt"))))
      Result.push_back(A);
  }
  return Result;
}

} // namespace freehold::cc
