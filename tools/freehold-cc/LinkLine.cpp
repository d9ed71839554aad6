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

/// The same library by its file: libm.so.6, /usr/lib/libdl.a.
static bool isCompilersFile(const std::string &Path) {
  std::string Name = fileName(Path);
  size_t Dot = Name.find('.');
  return begins(Name, "lib") && Dot != std::string::npos &&
         (isCompilersLibrary("-l" + Name.substr(3, Dot - 3)) ||
          begins(Name, "libfreehold-tsrm-") || // in front of libc's pthread_create, and no other than that
          isWord(Name.substr(0, Dot), "libmvec libc_nonshared libfreehold libfreehold-c"));
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
  std::vector<std::pair<size_t, bool>> Libraries;      // looked for once all folders are known
  std::vector<std::pair<size_t, std::string>> Scripts; // read then

  void addInput(size_t At, const std::string &Path, bool Scripted = false);
  void addScript(size_t At, const std::string &Path);
  void addInputsOf(size_t At, const std::string &Path, const std::string &Text);
  bool takeOption(const Strings &Args, size_t &I);
  void decideHalves();
};
} // namespace

/// A linker script, by -T or as an input: what it assigns is redefined as by --defsym, what it names is linked.
void Reader::addScript(size_t At, const std::string &Path) {
  std::string Text;
  if (!readFile(Path, Text))
    return;
  Line.Scripted = true;
  for (size_t Begin; (Begin = Text.find("/*")) != std::string::npos;)
    Text.erase(Begin, std::min(Text.find("*/", Begin + 2), Text.size() - 2) + 2 - Begin);
  const char *const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$";
  for (size_t At = 0; (At = Text.find('=', At)) != std::string::npos; ++At) {
    size_t End = Text.find_last_not_of(" \t\r\n", At ? At - 1 : 0);
    if (End == std::string::npos || !strchr(Letters, Text[End]))
      continue;
    size_t Begin = Text.find_last_not_of(Letters, End);
    Line.Wrapped.push_back(
        Text.substr(Begin == std::string::npos ? 0 : Begin + 1, End - (Begin == std::string::npos ? -1 : Begin)));
  }
  addInputsOf(At, Path, Text);
}

/// The files of INPUT(...) and GROUP(...); one that is not found is the linker's to complain of.
void Reader::addInputsOf(size_t At, const std::string &Path, const std::string &Text) {
  for (const char *Command : {"INPUT", "GROUP"})
    for (size_t Begin = 0; (Begin = Text.find(Command, Begin)) != std::string::npos; ++Begin) {
      size_t I = Text.find_first_not_of(" \t\r\n", Begin + 5);
      if (I == std::string::npos || Text[I] != '(')
        continue;
      int Depth = 0;
      std::string Word;
      for (; I < Text.size(); ++I) {
        if (!strchr(" \t\r\n,()\"", Text[I])) {
          Word += Text[I];
          continue;
        }
        std::string File = Word;
        if (begins(Word, "-l"))
          File = findLibrary(Word.substr(2), Folders, false);
        else if (!Word.empty() && Word[0] != '/') {
          File = folderName(Path) + "/" + Word;
          if (!exists(File))
            File = exists(Word) ? Word : findLibrary(":" + Word, Folders, false);
        }
        if (!File.empty() && Word != "AS_NEEDED" && !isCompilersFile(File) && exists(File))
          addInput(At, File, true);
        Word.clear();
        Depth += (Text[I] == '(') - (Text[I] == ')');
        if (Depth == 0)
          break;
      }
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

void Reader::addInput(size_t At, const std::string &Path, bool Scripted) {
  for (const LinkInput &I : Line.Inputs)
    if (Scripted && I.At == At && I.Path == Path) // a script that names itself ends here too
      return;
  LinkInput Input{At, Path, {}, {}, Scripted};
  if (!Path.empty())
    Input.Facts = inspect(Path);
  Line.Bitcode |= Input.Facts.Bitcode;
  Line.DefinesMalloc |= Input.Facts.DefinesMalloc;
  Line.Inputs.push_back(Input);
  if (!Path.empty() && isScript(Path))
    Scripts.push_back({At, Path});
}

/// Inputs whose bitcode half must not be linked. lld wraps no call whose callee is defined in the same object, as LTO's output is
/// for all bitcode: so the wrapped definition is taken out of it.
void Reader::decideHalves() {
  for (LinkInput &I : Line.Inputs) {
    if (!I.Facts.Difference.empty())
      I.Natively = "it was changed after compiling: " + I.Facts.Difference;
    for (const std::string &Name : Line.Wraps)
      if (I.Natively.empty() && I.Facts.Ours.count(Name))
        I.Natively = "it defines '" + Name + "', which --wrap replaces";
    Line.BitcodeObject |= I.Facts.Bitcode && !I.Facts.Archive && I.Natively.empty();
  }
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
    Line.Wrapped.push_back(Value), Line.Wraps.insert(Value);
  else if (takeValue(Args, I, "defsym", Value))
    Line.Wrapped.push_back(Value.substr(0, Value.find('=')));
  else if (takeValue(Args, I, "version-script", Value))
    Line.VersionScripts.push_back(Value);
  else if (takeValue(Args, I, "exclude-libs", Value))
    Line.ExcludesLibs = true;
  else if (A == "-T" && I + 1 < Args.size())
    ++I, Scripts.push_back({I, Args[I]});
  else if (takeValue(Args, I, "script", Value))
    Scripts.push_back({I, Value});
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
  for (size_t I = 0; I < R.Scripts.size(); ++I) { // which may name further ones
    std::pair<size_t, std::string> Script = R.Scripts[I];
    R.addScript(Script.first, Script.second);
  }
  R.decideHalves();
  R.Line.LibrariesAt = findLibraries(Args);
  R.Line.Args = Args;
  return R.Line;
}

std::map<std::string, const LinkInput *> LinkLine::plainDefinitions() const {
  std::set<std::string> Needs;
  std::map<std::string, const LinkInput *> Result;
  for (const LinkInput &I : Inputs)
    if (I.Natively.empty())
      Needs.insert(I.Facts.Needs.begin(), I.Facts.Needs.end());
  auto Add = [&](const std::set<std::string> &Names, const LinkInput &I) {
    for (const std::string &Name : Names)
      if (Needs.count(Name))
        Result.emplace(Name, &I);
  };
  for (const LinkInput &I : Inputs) {
    if (isCompilersFile(I.Path))
      continue;
    Add(I.Facts.Plain, I);
    if (!I.Natively.empty())
      Add(I.Facts.Ours, I);
  }
  return Result;
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
