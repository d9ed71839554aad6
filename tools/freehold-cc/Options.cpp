// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options.cpp - the option table and what is done with it (see Options.h).
//
// A value that the plan knows but this version has not built is refused with a line that says so: a build that silently used
// something else would make its report a lie.
#include "Options.h"
#include "Paths.h"
#include "tools/Environment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

namespace freehold::cc {

namespace {
struct Option {
  const char *Name;    // after --freehold-
  const char *Value;   // what --help calls the value, or null for a flag
  const char *Built;   // the values that work, separated by |, or null for any
  const char *Planned; // the values that will; "*" for an option that does nothing yet
  void (*Store)(Options &, const std::string &);
  const char *Help; // null: a hook for tests, not shown
};
} // namespace

static void ignore(Options &, const std::string &) {}

static const Option Table[] = {
    {"report", "FILE", nullptr, nullptr, [](Options &O, const std::string &V) { O.Reports.push_back(V); },
     "write the report of the link to FILE (.txt or .json; repeatable; %o is the output's name)"},
    {"points-to", "KIND", "field-sensitive", "field-insensitive|field-based|unification",
     [](Options &O, const std::string &V) { O.PointsTo = V; }, "points-to analysis: field-sensitive"},
    {"escape", "RULE", "reachable", "confined", [](Options &O, const std::string &V) { O.Escape = V; },
     "rule of the verdicts: reachable"},
    {"context-depth", "N", "3", "*", ignore, "frames of allocation wrappers told apart: 3"},
    {"check", nullptr, nullptr, nullptr, [](Options &O, const std::string &) { O.Check = true; },
     "owner check: stop at the first access to another thread's local block"},
    {"base", "DIR", nullptr, nullptr, [](Options &O, const std::string &V) { O.Base = V; },
     "paths in the report are relative to DIR (default: the working directory)"},
    {"models", "DIR", nullptr, nullptr, [](Options &O, const std::string &V) { O.Models = V; },
     "what library functions do is read from DIR"},
    {"timings", nullptr, nullptr, nullptr, [](Options &O, const std::string &) { O.Timings = true; },
     "put times and peak memory of the analysis into the report"},
    {"time-limit", "SECONDS", "", "*", ignore, "time the analysis may take"},
    {"memory-limit", "SIZE", "", "*", ignore, "memory the analysis may take"},
    {"globals", "LIST", "", "*", ignore, "globals that become thread-local"},
    {"no-rpath", nullptr, nullptr, nullptr, [](Options &O, const std::string &) { O.NoRpath = true; },
     "shared libraries: no rpath to libfreehold.so's folder"},
    {"test-force-local", "FILE:LINE", nullptr, nullptr, [](Options &O, const std::string &V) { O.ForceLocal.push_back(V); },
     nullptr},
    {"test-capture", "FILE", nullptr, nullptr, [](Options &O, const std::string &V) { O.Capture = V; }, nullptr},
    {"off", nullptr, nullptr, nullptr, [](Options &O, const std::string &) { O.Off = true; }, "be plain clang"},
};
static const char Prefix[] = "--freehold-";

/// Names as in glob(7), of outputs and of sources. A name that a program of the user's may well have does not belong here.
static const struct {
  const char *Name, *Whose;
} Probes[] = {{"conftest*", "autoconf and SCons"}, {"cmTC_*", "CMake"},        {"CMakeC*CompilerId*", "CMake"},
              {"ztest[0-9]*", "zlib's configure"}, {"sanitycheckc*", "Meson"}, {"output.exe", "Meson"}};

bool isProbe(const std::string &Path) {
  return std::any_of(std::begin(Probes), std::end(Probes),
                     [Name = fileName(Path)](const auto &P) { return fnmatch(P.Name, Name.c_str(), 0) == 0; });
}

static std::string nearestName(const std::string &Name) {
  const Option *Best = &Table[0];
  size_t BestDistance = ~size_t(0);
  for (const Option &O : Table)
    if (size_t D = editDistance(Name, O.Name); O.Help && D < BestDistance) {
      BestDistance = D;
      Best = &O;
    }
  if (BestDistance > std::min<size_t>(3, (Name.size() + 1) / 3))
    return "; --help lists those of Freehold";
  return "; did you mean '" + std::string(Prefix) + Best->Name + (Best->Value ? "=" + std::string(Best->Value) : "") + "'?";
}

static bool isAmong(const char *List, const std::string &Value) {
  return ("|" + std::string(List) + "|").find("|" + Value + "|") != std::string::npos;
}

static bool endsWith(const std::string &Text, const char *End) {
  size_t N = strlen(End);
  return Text.size() >= N && Text.compare(Text.size() - N, N, End) == 0;
}

static std::string checkReportName(const std::string &File) {
  if (endsWith(File, ".txt") || endsWith(File, ".json"))
    return {};
  for (const char *Suffix : {".sarif", ".html"})
    if (endsWith(File, Suffix))
      return "reports as " + std::string(Suffix) + " are not built yet; .txt and .json are";
  return "the name of a report ends in .txt or .json, '" + File + "' does not";
}

static std::string checkValue(const Option &O, const std::string &Spelled, const std::string &Value) {
  if (O.Planned && strcmp(O.Planned, "*") == 0) {
    if (!Value.empty() && isAmong(O.Built, Value))
      return {};
    return "'" + Spelled + "' is not built yet" + (*O.Built ? std::string("; ") + Prefix + O.Name + "=" + O.Built + " is" : "");
  }
  if (O.Planned && isAmong(O.Planned, Value))
    return "'" + Spelled + "' is not built yet; " + Prefix + O.Name + "=" + O.Built + " is";
  if (O.Built && !isAmong(O.Built, Value))
    return "'" + Value + "' is no value of " + Prefix + O.Name + ": it is one of " + O.Built + ", " + O.Planned;
  if (Value.empty())
    return "'" + Spelled + "' needs a value: " + Prefix + O.Name + "=" + O.Value;
  return strcmp(O.Name, "report") == 0 ? checkReportName(Value) : std::string();
}

bool takeOption(const std::string &Argument, Options &O, std::string &Error) {
  if (Argument.compare(0, sizeof Prefix - 1, Prefix) != 0)
    return false;
  size_t Equals = Argument.find('=');
  std::string Name = Argument.substr(sizeof Prefix - 1, Equals == std::string::npos ? Equals : Equals - (sizeof Prefix - 1));
  std::string Value = Equals == std::string::npos ? "" : Argument.substr(Equals + 1);
  for (const Option &Row : Table) {
    if (Name != Row.Name)
      continue;
    if (!Row.Value && Equals != std::string::npos)
      Error = std::string(Prefix) + Row.Name + " takes no value";
    else if (Row.Value)
      Error = checkValue(Row, Argument, Value);
    if (Error.empty())
      Row.Store(O, Value);
    return true;
  }
  Error = "unknown option '" + Argument + "'" + nearestName(Name);
  return true;
}

std::string reportPath(const std::string &Report, const std::string &Output) {
  std::string Path = Report, Name = fileName(Output);
  for (size_t At = 0; (At = Path.find("%o", At)) != std::string::npos; At += Name.size())
    Path.replace(At, 2, Name);
  return absolutePath(Path);
}

std::string whyUnwritable(const std::string &Path) {
  struct stat S;
  if (stat(Path.c_str(), &S) == 0) {
    if (S_ISDIR(S.st_mode))
      return "it is a folder";
    if (!S_ISREG(S.st_mode))
      return access(Path.c_str(), W_OK) == 0 ? "" : strerror(errno);
  }
  std::string Folder = folderName(Path);
  if (stat(Folder.c_str(), &S) != 0)
    return Folder + ": " + strerror(errno);
  if (!S_ISDIR(S.st_mode))
    return Folder + " is no folder";
  return access(Folder.c_str(), W_OK | X_OK) == 0 ? "" : Folder + ": " + strerror(errno);
}

std::string helpText(const std::string &Program, const std::string &ClangName) {
  std::string Text = "usage: " + Program + " [options] file...\n\n" + Program + " is " + ClangName +
                     " with thread-local heaps: allocation sites that are proved thread-local use the\n"
                     "thread's own heap. It takes clang's place: CC=freehold-cc ./configure && make.\n\n"
                     "options of its own:\n";
  for (const Option &O : Table) {
    std::string Left = std::string("  ") + Prefix + O.Name + (O.Value ? "=" + std::string(O.Value) : "");
    if (!O.Help || (O.Planned && strcmp(O.Planned, "*") == 0 && !*O.Built))
      continue; // known, but nothing to offer yet
    Left.resize(std::max(Left.size() + 1, size_t(32)), ' ');
    Text += Left + O.Help + "\n";
  }
  std::string Names;
  for (const auto &P : Probes)
    Names += std::string(Names.empty() ? "" : ",") + (Names.size() % 100 > 70 ? "\n  " : " ") + P.Name;
  return Text +
         "  --help                        this text\n"
         "  --version                     clang's version and Freehold's\n\n"
         "All other options are clang's: see " +
         ClangName + " --help.\n\nProbes of configure scripts, CMake and Meson leave no reports: sources or outputs named" +
         Names +
         ".\n\nexit codes: clang's; 2 for a wrong --freehold- option, 3 for a report that cannot be written, 127 without clang\n";
}

} // namespace freehold::cc
