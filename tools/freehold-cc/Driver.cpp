// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver.cpp - freehold-cc and freehold-c++: clang with the plugin at compile steps and our shim as its linker at links.
//
// The rule of the house here: nothing of ours may break a build. Whatever is missing or fails on our side, the command is done by
// plain clang, and one line says why.
#include "CommandLine.h"
#include "LinkState.h"
#include "Objects.h"
#include "Paths.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  int aside(const std::string &Why);
  int passThrough();
  int checkReports() const;
  int withFreehold();
  Strings arguments(const std::string &Folder) const;
  void dropLineTables() const;
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

/// Plain clang, and one line if it has something to be said about.
int Driver::aside(const std::string &Why) {
  note(Why);
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

/// What clang is told besides the user's words. The bracket keeps clang from remarking on what a step does not use.
/// Unified LTO, because then the native half goes through the very passes of a plain compile; full LTO's own pre-link pipeline
/// runs the loop passes once more before it and gives other code (three files of zlib's fifteen). Its splitting of units is
/// switched off: it would take the vtables out of the native half.
Strings Driver::arguments(const std::string &Folder) const {
  Strings Args = Line.Args,
          Ours = {"--start-no-unused-arguments", "-flto", "-funified-lto", "-fno-split-lto-unit", "-ffat-lto-objects"};
  if (Line.hasSources()) {
    Ours.push_back("-fpass-plugin=" + Tools.Plugin);
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

int Driver::withFreehold() {
  if (std::string Part = Tools.missing(Line.What == Step::Link); !Part.empty())
    return aside("Freehold is not complete, " + Part + " is missing: this is plain clang");
  TemporaryFolder Folder;
  LinkState State{Tools, Line.Own, Line.WantsDebug && Line.hasSources(), Line.LldAsked, Line.LtoAsked, {}};
  for (const Input &I : Line.Inputs)
    State.Inputs.push_back(I.Path);
  std::string Config = Folder.path() + "/compile.config";
  if (Folder.path().empty() || !writeFile(Config, pluginConfig(Tools, Line.Own, "compile")) ||
      (Line.What == Step::Link && !writeLinkState(Folder.path(), State)))
    return Folder.remove(), aside("no temporary folder could be made: this is plain clang");
  RunOptions O;
  O.Environment = {{ConfigVariable, Config}};
  Outcome Result = clang(arguments(Folder.path()), O);
  if (Result.Signal == 0 && Result.Code > 1 && Result.Code != 127) { // clang's own errors are 1: this was a crash
    note("clang failed with Freehold and is run without it");
    Result = clang(Line.Args);
  } else if (Result.ok() && Line.What == Step::Compile)
    dropLineTables();
  Folder.remove(); // exitAs does not come back
  exitAs(Result);
}

int Driver::main(const char *Argv0) {
  if (!Line.Error.empty()) {
    say("error", Line.Error);
    return ExitUsage;
  }
  if (Line.Help) {
    fputs(helpText(fileName(Argv0), Tools.ClangName).c_str(), stdout);
    return 0;
  }
  if (Line.Own.Off)
    return passThrough();
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
  if (Line.What == Step::PassThrough && !Line.Relocatable)
    return passThrough();
  if (Line.Relocatable && Line.What == Step::Link) {
    // The parts' bitcode halves would end up behind one another, which no later link can read; the output is a plain object.
    Outcome O = clang(Line.Args);
    std::string Output = Line.Output.empty() ? "a.out" : Line.Output;
    if (O.ok() && inspect(Output).Bitcode)
      run(Tools.Objcopy, {"--remove-section=.llvm.lto", Output});
    exitAs(O);
  }
  return Line.What == Step::PassThrough ? passThrough() : withFreehold();
}

int driverMain(int Argc, char **Argv, bool Cxx) { return Driver(Cxx, readCommandLine(Argc, Argv)).main(Argv[0]); }

} // namespace freehold::cc
