// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run.cpp - `freehold run -- CMD...`: becomes CMD, with libfreehold.so in front of its own LD_PRELOAD. As the process is the
// command's from then on, its exit status, its signals and its process id are nobody else's.

#include "Paths.h"
#include "Verbs.h"
#include "Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace llvm;

namespace freehold {
namespace {

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> Environment; ///< to be set for the command
  std::vector<std::string> Command;
};

/// 512M, 2G, 65536: what the runtime takes for FREEHOLD_LIMIT.
bool isSize(StringRef Text) {
  unsigned long long Number;
  unsigned Shift = 0;
  if (!Text.empty())
    Shift = StringSwitch<unsigned>(Text.take_back()).CaseLower("k", 10).CaseLower("m", 20).CaseLower("g", 30).Default(0);
  return !Text.drop_back(Shift != 0).getAsInteger(10, Number) && Number != 0 && Number <= (UINT64_MAX >> Shift);
}

struct RunOption {
  const char *Name, *Values, *Variable;
  const char *Default; ///< value of the bare switch; null: a value must be given
  const char *Help;
};

const RunOption Table[] = {
    {"--stats", "text|json", "STATS", "text", "print the heap's statistics on standard error when a process of CMD ends"},
    {"--check", "check|guard", "CHECK", "check", "hardening of the heap: stop with one line at a wrong free or an overflow"},
    {"--limit", "SIZE", "LIMIT", nullptr, "most memory that the heap may take from the system, as 512M or 2G"},
};

/// Does the runtime obey FREEHOLD_<Variable> yet?
bool isBuilt(StringRef Variable) {
#define FREEHOLD_OPTION(NAME, VALUES, BUILT, HELP)                                                                               \
  if (Variable == #NAME)                                                                                                         \
    return BUILT;
#include "runtime/os/options.def"
#undef FREEHOLD_OPTION
  return false;
}

Error take(RunOptions &O, const RunOption &Known, std::optional<StringRef> Given) {
  if (!isBuilt(Known.Variable))
    return usageError(Twine(Known.Name) + " is not built yet");
  if (!Given && !Known.Default)
    return usageError(Twine(Known.Name) + " needs a value: " + Known.Name + "=" + Known.Values);
  std::string Value = Given ? Given->str() : Known.Default;
  SmallVector<StringRef, 2> Values;
  StringRef(Known.Values).split(Values, '|');
  bool Right = StringRef(Known.Values) == "SIZE" ? isSize(Value) : is_contained(Values, Value);
  if (!Right)
    return usageError(Twine(Known.Name) + " takes " + (StringRef(Known.Values) == "SIZE" ? "a size as 512M" : Known.Values) +
                      ", not '" + Value + "'" + didYouMean(Value, Values));
  if (Value == "text")
    Value = "1";
  O.Environment.push_back({std::string("FREEHOLD_") + Known.Variable, Value});
  return Error::success();
}

Expected<RunOptions> parse(ArrayRef<StringRef> Args) {
  RunOptions O;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--" || !Arg.starts_with("-")) {
      for (StringRef Word : Args.drop_front(I + (Arg == "--")))
        O.Command.push_back(Word.str());
      break;
    }
    auto [Name, Value] = Arg.split('=');
    bool HasValue = Name.size() != Arg.size();
    if (Name == "--profile")
      return usageError("--profile is not built yet");
    const auto *Known = find_if(Table, [&, N = Name](const RunOption &R) { return N == R.Name; });
    if (Known == std::end(Table)) {
      std::vector<StringRef> Names;
      for (const RunOption &R : Table)
        Names.push_back(R.Name);
      std::string Near = didYouMean(Name, Names);
      return usageError("unknown option '" + Name + "' of run" + (Near.empty() ? "; freehold run --help lists them" : Near));
    }
    if (!HasValue && !Known->Default && I + 1 < Args.size()) { // --limit SIZE
      Value = Args[++I];
      HasValue = true;
    }
    if (Error E = take(O, *Known, HasValue ? std::optional<StringRef>(Value) : std::nullopt))
      return std::move(E);
  }
  if (O.Command.empty())
    return usageError("run needs a command: freehold run [options] -- CMD...");
  return O;
}

/// The file that execvp would run; empty with errno if there is none.
std::string findCommand(const std::string &Name) {
  auto Runs = [](const std::string &File) {
    struct stat S;
    if (stat(File.c_str(), &S) != 0)
      return false;
    errno = EACCES;
    return S_ISREG(S.st_mode) && access(File.c_str(), X_OK) == 0;
  };
  if (Name.find('/') != std::string::npos)
    return Runs(Name) ? Name : "";
  const char *Path = getenv("PATH");
  SmallVector<StringRef, 16> Folders;
  StringRef(Path ? Path : "/bin:/usr/bin").split(Folders, ':');
  int Worst = ENOENT;
  for (StringRef Folder : Folders) {
    std::string File = (Folder.empty() ? "." : Folder.str()) + "/" + Name;
    if (Runs(File))
      return File;
    if (errno == EACCES)
      Worst = EACCES;
  }
  errno = Worst;
  return "";
}

/// Would the kernel raise the privileges of who runs it (AT_SECURE)? Then the loader ignores LD_PRELOAD.
bool raisesPrivileges(const std::string &File) {
  struct stat S;
  struct statvfs V;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || stat(File.c_str(), &S) != 0)
    return false;
  if (statvfs(File.c_str(), &V) == 0 && (V.f_flag & ST_NOSUID))
    return false;
  uid_t User = S.st_mode & S_ISUID ? S.st_uid : geteuid();
  gid_t Group = (S.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ? S.st_gid : getegid();
  if (User != getuid() || Group != getgid())
    return true;
  return getuid() != 0 && getxattr(File.c_str(), "security.capability", nullptr, 0) > 0;
}

/// Why libfreehold.so cannot be loaded into it; empty if it can, or if the kernel shall say what is wrong. A script is judged by
/// its interpreter.
std::string whyNot(const std::string &File, unsigned Depth = 0) {
  union {
    char Text[4096];
    Elf64_Ehdr Header;
  } Head = {};
  int FD = open(File.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return {}; // may be run without being read
  auto Close = make_scope_exit([&] { close(FD); });
  ssize_t Length = pread(FD, Head.Text, sizeof Head.Text - 1, 0);
  if (Length > 2 && Head.Text[0] == '#' && Head.Text[1] == '!' && Depth < 4) {
    StringRef Line = StringRef(Head.Text + 2).take_until([](char C) { return C == '\n'; }).trim();
    return whyNot(Line.take_until([](char C) { return C == ' ' || C == '\t'; }).str(), Depth + 1);
  }
  if (Length < ssize_t(sizeof Head.Header) || memcmp(Head.Text, ELFMAG, SELFMAG) != 0)
    return {};
  if (raisesPrivileges(File))
    return "it runs with raised privileges, where the loader ignores LD_PRELOAD";
  if (Head.Text[EI_CLASS] != ELFCLASS64 || Head.Header.e_machine != EM_X86_64)
    return "it is no x86-64 program";
  for (unsigned I = 0; I < Head.Header.e_phnum; ++I) {
    Elf64_Phdr Part;
    if (pread(FD, &Part, sizeof Part, off_t(Head.Header.e_phoff + I * sizeof Part)) != ssize_t(sizeof Part))
      return {};
    if (Part.p_type != PT_INTERP)
      continue;
    std::string Loader(std::min<size_t>(Part.p_filesz, 256), '\0');
    if (pread(FD, Loader.data(), Loader.size(), off_t(Part.p_offset)) <= 0)
      return {};
    return StringRef(Loader).contains("ld-linux") ? "" : "its loader is " + std::string(Loader.c_str()) + ", not glibc's";
  }
  return "it is linked statically; link it with freehold-cc, or with libfreehold.a, instead";
}

/// lib/libfreehold.so beside this program's folder, whatever the system calls lib.
std::string findLibrary() {
  std::string Prefix = programFolder() + "/../";
  for (const char *Folder : {"lib", FREEHOLD_LIBDIR}) {
    SmallString<256> Real;
    if (!sys::fs::real_path(Prefix + Folder + "/libfreehold.so", Real))
      return Real.str().str();
  }
  return "";
}

[[noreturn]] void leave(const Twine &Message, int Code) {
  errs() << "freehold: error: " << Message << '\n';
  exit(Code);
}

} // namespace

std::string runHelp() {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const RunOption &R : Table) {
    std::string Left = std::string(R.Name) + (R.Default ? "[=" : "=") + R.Values + (R.Default ? "]" : "");
    OS << "  " << left_justify(Left, 24) << ' ' << R.Help << (isBuilt(R.Variable) ? "" : " (not built yet)") << '\n';
  }
  OS << "  " << left_justify("--profile=FILE", 24) << " not built yet\n";
  OS << "\nenvironment of every program on libfreehold:\n";
  auto Line = [&](StringRef Name, StringRef Values, bool Built, StringRef Help) {
    if (!Values.empty())
      OS << "  " << left_justify(("FREEHOLD_" + Name + "=" + Values).str(), 34) << ' ' << Help
         << (Built ? "" : " (not built yet)") << '\n';
  };
#define FREEHOLD_OPTION(NAME, VALUES, BUILT, HELP) Line(#NAME, VALUES, BUILT, HELP);
#include "runtime/os/options.def"
#undef FREEHOLD_OPTION
  OS << "\nexit code: CMD's; 127 if it is not found, 126 if it cannot be run on libfreehold, 2 for wrong usage\n";
  return Text;
}

Error run(ArrayRef<StringRef> Args) {
  Expected<RunOptions> O = parse(Args);
  if (!O)
    return O.takeError();
  std::string Library = findLibrary();
  if (Library.empty())
    return inputError("libfreehold.so does not lie in the lib folder beside this program's");
  if (StringRef(Library).find_first_of(" :") != StringRef::npos) // the loader splits LD_PRELOAD there
    return inputError("LD_PRELOAD cannot name '" + Library + "': the path has a space or a colon");
  std::string File = findCommand(O->Command[0]);
  if (File.empty()) {
    int Code = errno == ENOENT || errno == ENOTDIR ? 127 : 126;
    leave(O->Command[0] + ": " + (Code == 127 ? "not found" : strerror(errno)), Code);
  }
  if (std::string Why = whyNot(File); !Why.empty())
    leave(O->Command[0] + " cannot be run on libfreehold: " + Why, 126);
  for (const auto &[Name, Value] : O->Environment)
    setenv(Name.c_str(), Value.c_str(), 1);
  const char *Others = getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (Library + (Others && *Others ? std::string(":") + Others : "")).c_str(), 1);
  std::vector<char *> Argv;
  for (std::string &Word : O->Command)
    Argv.push_back(Word.data());
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  leave(O->Command[0] + ": " + strerror(errno), errno == ENOENT ? 127 : 126);
}

} // namespace freehold
