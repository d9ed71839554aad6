// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver.cpp - freehold-cc and freehold-c++: clang with the plugin at compile steps and our shim as its linker at links.
//
// The rule of the house here: nothing of ours may break a build. Whatever is missing or fails on our side, the command is done by
// plain clang, and one line says why.
#include "CommandLine.h"
#include "Join.h"
#include "LinkState.h"
#include "Objects.h"
#include "Paths.h"
#include "tools/Environment.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace freehold::cc {

namespace {
class Driver {
  Toolchain Tools;
  CommandLine Line;

public:
  Driver(bool Cxx, CommandLine Line) : Tools(findToolchain(Cxx)), Line(std::move(Line)) {}
  int main(const char *Argv0);

private:
  Outcome clang(const Strings &Args, RunOptions O = {}) const;
  void leaveBitcodeOut(const std::string &Folder);
  int aside(const std::string &Why);
  int passThrough();
  int checkReports() const;
  int withFreehold();
  Strings arguments(const std::string &Folder) const;
  void dropLineTables() const;
  std::string pluginTrouble(const Outcome &O, const std::string &Errors) const;
};
} // namespace

Outcome Driver::clang(const Strings &Args, RunOptions O) const {
  O.Argv0 = Tools.ClangName;
  return run(Tools.Clang, Args, O);
}

int Driver::passThrough() {
  fflush(nullptr);
  become(Tools.Clang, Line.Args, Tools.ClangName);
  say("error", Tools.Clang + ": " + strerror(errno));
  return 127;
}

/// A link by ThinLTO takes no bitcode of ours, which is for unified LTO, beside that of this or another command: it gets the
/// native halves.
void Driver::leaveBitcodeOut(const std::string &Folder) {
  bool Foreign = Line.hasSources();
  for (const Input &I : Line.Inputs)
    Foreign |= !I.IsSource && inspect(I.Path).Foreign;
  for (size_t At = 0; Foreign && At < Line.Args.size(); ++At)
    for (const Input &I : Line.Inputs) {
      LinkInput Object{At, I.Path, {}, {}, false};
      if (I.IsSource || I.Path != Line.Args[At])
        continue;
      Object.Facts = inspect(I.Path);
      if (Object.Facts.Bitcode && !Object.Facts.Foreign)
        if (std::string Copy = nativeCopy(Object, Tools, Folder); !Copy.empty())
          Line.Args[At] = Copy;
    }
}

/// Plain clang, and one line if it has something to be said about.
int Driver::aside(const std::string &Why) {
  note(Why);
  if (Line.Links && Line.LtoAsked) {
    TemporaryFolder Folder;
    leaveBitcodeOut(Folder.path());
    Outcome O = clang(Line.Args);
    if (O.ok())
      writeEmptyReports(Line.Own, Line.Output.empty() ? "a.out" : Line.Output, Why);
    Folder.remove(); // exitAs does not come back
    exitAs(O);
  }
  if (!Line.Links || Line.Own.Reports.empty())
    return passThrough();
  Outcome O = clang(Line.Args);
  if (O.ok())
    writeEmptyReports(Line.Own, Line.Output.empty() ? "a.out" : Line.Output, Why);
  exitAs(O);
}

/// Before anything is compiled: a report that cannot be written is found now, not after an hour of building.
int Driver::checkReports() const {
  if (!Line.Links)
    return 0;
  for (const std::string &Report : Line.Own.Reports) {
    std::string Path = reportPath(Report, Line.Output.empty() ? "a.out" : Line.Output), Why = whyUnwritable(Path);
    if (!Why.empty()) {
      say("error", "the report " + Path + " cannot be written: " + Why);
      return ExitInput;
    }
  }
  return 0;
}

/// What clang does on a terminal, told to it because its errors are held back until it is known whose they are.
static Strings terminalArguments() {
  Strings Args;
  if (!isatty(STDERR_FILENO))
    return Args;
  const char *Term = getenv("TERM");
  if (Term && strcmp(Term, "dumb") != 0 && !getenv("NO_COLOR"))
    Args.push_back("-fcolor-diagnostics");
  winsize Size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col)
    Args.push_back("-fmessage-length=" + std::to_string(Size.ws_col));
  return Args;
}

/// What clang is told besides the user's words. The bracket keeps clang from remarking on what a step does not use.
/// Unified LTO, because then the native half goes through the very passes of a plain compile; full LTO's own pre-link pipeline
/// runs the loop passes once more before it and gives other code (three files of zlib's fifteen). Its splitting of units is
/// switched off: it would take the vtables out of the native half.
Strings Driver::arguments(const std::string &Folder) const {
  Strings Args = Line.Args,
          Ours = {"--start-no-unused-arguments", "-flto", "-funified-lto", "-fno-split-lto-unit", "-ffat-lto-objects"};
  if (Line.hasSources()) {
    Ours.insert(Ours.end(), {"-fpass-plugin=" + Tools.Plugin, "-fno-crash-diagnostics"});
    if (!Line.WantsDebug)
      Ours.insert(Ours.end(), {"-gline-tables-only", "-gno-split-dwarf", "-gcolumn-info"});
  }
  if (Line.What == Step::Link)
    Ours.insert(Ours.end(), {"-fuse-ld=lld", "--ld-path=" + Tools.LinkerShim});
  Ours.push_back("--end-no-unused-arguments");
  // Before the user's "--": what follows it are file names.
  size_t At = 0;
  while (At < Args.size() && Args[At] != "--")
    ++At;
  Args.insert(Args.begin() + long(At), Ours.begin(), Ours.end());
  Strings Terminal = Line.hasSources() ? terminalArguments() : Strings(); // first: the user's own words win
  Args.insert(Args.begin(), Terminal.begin(), Terminal.end());
  size_t Size = 0;
  for (const std::string &A : Args)
    Size += A.size() + 1;
  if (Size < 100000)
    return Args;
  std::string Text; // as long as a response file was: give it back as one
  for (const std::string &A : Args)
    Text += quoted(A) + "\n";
  return writeFile(Folder + "/arguments", Text) ? Strings{"@" + Folder + "/arguments"} : Args;
}

/// Without -g the object's native half must be what clang makes: the line tables stay in its bitcode half alone.
void Driver::dropLineTables() const {
  if (Line.WantsDebug)
    return;
  for (const std::string &Object : Line.objects())
    if (inspect(Object).Debug)
      run(Tools.Objcopy, {"--strip-debug", "--keep-file-symbols", Object});
}

/// After clang failed: was it our plugin, and how? Empty if the errors are the user's: then the plugin was not even reached, or
/// did its work. A crash may be anybody's; clang's driver ends with 1 then too, so its words decide.
std::string Driver::pluginTrouble(const Outcome &O, const std::string &Errors) const {
  std::string Head = "unable to load plugin '" + Tools.Plugin + "': ";
  if (size_t At = Errors.find(Head); At != std::string::npos)
    return "the plugin cannot be loaded: " + Errors.substr(At + Head.size(), Errors.find('\n', At) - At - Head.size());
  bool Crash = O.Signal == 0 && O.Code > 1 && O.Code != 127;
  return Crash || Errors.find("error: clang frontend command failed") != std::string::npos ? "clang failed with it" : "";
}

int Driver::withFreehold() {
  if (std::string Part = Tools.missing(Line.What == Step::Link); !Part.empty())
    return aside("Freehold is not complete, " + Part + " is missing" +
                 (Part == Tools.Lld ? " (on Debian: apt-get install lld-19)" : "") + ": this is plain clang");
  TemporaryFolder Folder;
  LinkState State{Tools, Line.Own, Line.WantsDebug && Line.hasSources(), Line.LldAsked, Line.LtoAsked, {}};
  for (const Input &I : Line.Inputs)
    State.Inputs.push_back(I.Path);
  std::string Config = Folder.path() + "/compile.config";
  if (Folder.path().empty() ||
      !writeFile(Config, pluginConfig(Tools, Line.Own, "compile") + (Line.WantsDebug ? "debug=1\n" : "debug=0\n")) ||
      (Line.What == Step::Link && !writeLinkState(Folder.path(), State)))
    return Folder.remove(), aside("no temporary folder could be made: this is plain clang");
  RunOptions O;
  O.Environment = {{ConfigVariable, Config}};
  if (Line.hasSources())
    O.StderrFile = Folder.path() + "/errors";
  Outcome Result = clang(arguments(Folder.path()), O);
  std::string Errors;
  readFile(O.StderrFile, Errors);
  if (std::string Trouble = Result.ok() ? "" : pluginTrouble(Result, Errors); !Trouble.empty())
    return Folder.remove(), aside("this is plain clang, without Freehold: " + Trouble);
  fwrite(Errors.data(), 1, Errors.size(), stderr);
  if (Result.ok() && Line.What == Step::Compile)
    dropLineTables();
  Folder.remove(); // exitAs does not come back
  exitAs(Result);
}

int Driver::main(const char *Argv0) {
  Line.Own.Off |= readEnvironment("freehold-cc");
  if (!Line.Error.empty()) {
    say("error", Line.Error);
    return ExitUsage;
  }
  if (Line.Help) {
    fputs(helpText(fileName(Argv0), Tools.ClangName).c_str(), stdout);
    return 0;
  }
  if (!exists(Tools.Clang)) { // else the bare name, which was found nowhere
    say("error", Tools.ClangName + " was not found; on Debian: apt-get install clang-19 lld-19");
    return ExitNoCompiler;
  }
  if (Line.Own.Off) {
    if (!Line.Links || Line.Own.Reports.empty())
      return passThrough();
    Outcome O = clang(Line.Args); // asked for, so without a word; but the report is written
    if (O.ok())
      writeEmptyReports(Line.Own, Line.Output.empty() ? "a.out" : Line.Output, "it was switched off");
    exitAs(O);
  }
  if (Line.Version) {
    Outcome O = clang(Line.Args);
    if (O.ok())
      puts("freehold-cc " FREEHOLD_VERSION);
    exitAs(O);
  }
  if (int Code = checkReports())
    return Code;
  if (!Line.Aside.empty())
    return aside(Line.Aside);
  return Line.What == Step::PassThrough ? passThrough() : withFreehold();
}

int driverMain(int Argc, char **Argv, bool Cxx) { return Driver(Cxx, readCommandLine(Argc, Argv)).main(Argv[0]); }

} // namespace freehold::cc
