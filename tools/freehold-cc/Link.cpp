// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link.cpp - the linker shim: clang runs it in the linker's place (--ld-path), it runs lld with the plugin and our runtime.
//
// Why here and not on clang's command line: only here the whole line is known, an input can be replaced, our archive can stand
// between the user's inputs and libc, and a failed link can be done again without compiling again. The name it is called by,
// ld.lld, is what makes clang write a line for lld.
#include "Join.h"
#include "LinkLine.h"
#include "LinkState.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace freehold::cc {

/// What rewritten code may call. Made before the link so that LTO finds them: an archive member is not extracted afterwards.
static const char *const RuntimeSymbols[] = {"fh_layout_3",    "fh_tls_malloc_class",  "fh_tls_malloc", "fh_tls_calloc",
                                             "fh_tls_realloc", "fh_tls_aligned_alloc", "fh_tls_strdup", "fh_tls_strndup",
                                             "fh_tls_free",    "fh_tls_free_sized",    "fh_tls_new",    "fh_tls_new_nothrow",
                                             "fh_heads",       "fh_heads_base"};
static const char *const CheckSymbols[] = {"fh_check_access", "fh_check_site"};

namespace {
class Linker {
  std::string Folder; // private to this command
  LinkState &State;
  LinkLine &Line;
  bool StripDebug = false;
  std::vector<LinkInput *> Unified; // unifyInputs: these; the line before it
  Strings Given;

public:
  Linker(std::string Folder, LinkState &State, LinkLine &Line) : Folder(std::move(Folder)), State(State), Line(Line) {}
  int link();

private:
  std::string whyAside() const;
  void decideStrip();
  bool isTemporary(const LinkInput &I) const;
  std::string nameOf(const LinkInput &I) const;
  bool replaceInputs(std::string &Why);
  bool unifyInputs();
  bool addRuntime(Strings &Tail, std::string &Why);
  Strings lldArguments(const Strings &Runtime) const;
  bool writeConfig() const;
  int plain(const std::string &Why);
  int report() const;
  Strings native() const;
  std::string output() const { return fileName(Line.Output); }
};
} // namespace

/// The inputs whose bitcode half is left out, for the report.
Strings Linker::native() const {
  Strings Names;
  for (const LinkInput &I : Line.Inputs)
    if (!I.Natively.empty())
      Names.push_back(fileName(I.Path) + ": " + I.Natively);
  return Names;
}

static void forward(const std::string &File, FILE *To) {
  std::string Text;
  if (readFile(File, Text))
    fwrite(Text.data(), 1, Text.size(), To);
  fflush(To);
}

/// Reasons that are visible on the line. "-" stands for: not a word.
std::string Linker::whyAside() const {
  if (Line.PrintsOnly || Line.Relocatable)
    return "-";
  if (!Line.HasLibc)
    return "no C library is linked, and Freehold's heap needs one";
  if (!Line.Shared && Line.hidesEverything())
    return "a version script hides every symbol, and with them Freehold's malloc from the program's libraries";
  return {};
}

/// The line tables that we made for the report are dropped again, unless an object of the user's has debug information of its
/// own.
void Linker::decideStrip() {
  StripDebug = !State.WantsDebug;
  for (const std::string &A : Line.Args)
    if (A == "-s" || A == "--strip-all") // says more than --strip-debug, and the last one counts
      StripDebug = false;
  for (const LinkInput &I : Line.Inputs)
    if (I.Facts.Debug && !isTemporary(I))
      StripDebug = false;
}

/// An object that the user did not name: compiled by this very command.
bool Linker::isTemporary(const LinkInput &I) const {
  bool Named = I.Path != Line.Args[I.At]; // found as a library
  for (const std::string &Name : State.Inputs)
    Named |= Name == I.Path;
  return !Named;
}

/// What the user knows an input by. A temporary object of this command's has a random name, made of its source's.
std::string Linker::nameOf(const LinkInput &I) const {
  std::string Name = fileName(I.Path), Stem = Name.substr(0, Name.rfind('-'));
  if (isTemporary(I))
    for (const std::string &Source : State.Inputs)
      if (std::string Base = fileName(Source); Base.substr(0, Base.rfind('.')) == Stem)
        return Base;
  return Name;
}

/// Inputs whose native half was changed after compiling, or whose definitions are wrapped away, are linked as plain objects.
bool Linker::replaceInputs(std::string &Why) {
  for (const LinkInput &I : Line.Inputs) {
    if (I.Natively.empty())
      continue;
    std::string Copy = nativeCopy(I, State.Tools, Folder);
    if (Copy.empty()) {
      Why = I.Path + " cannot be linked as bitcode, " + I.Natively;
      return false;
    }
    note(fileName(I.Path) + ": linked as a plain object, " + I.Natively);
    Line.Args[I.At] = Copy;
  }
  return true;
}

/// Bitcode of another kind of LTO on a line with ours, which no linker takes together: a native half is linked where there is
/// one, else the bitcode is made fit. False if that helps nothing.
bool Linker::unifyInputs() {
  Strings Args = Line.Args;
  for (LinkInput &I : Line.Inputs) {
    if (!I.Facts.Foreign || !I.Natively.empty())
      continue;
    std::string Copy = I.Facts.BitcodeOnly ? unifiedCopy(I, State.Tools, Folder) : nativeCopy(I, State.Tools, Folder);
    if (Copy.empty())
      return false;
    Args[I.At] = Copy;
    Unified.push_back(&I);
  }
  if (Unified.empty())
    return false;
  for (LinkInput *I : Unified)
    I->Natively = "its bitcode is of another kind of LTO";
  std::swap(Line.Args, Args);
  Given = Args;
  return true;
}

/// Whether C++'s own runtime is on the line, which our operator new needs.
static bool linksCxx(const LinkLine &Line) {
  return std::any_of(Line.Args.begin(), Line.Args.end(), [](const std::string &Arg) {
    std::string Name = fileName(Arg);
    return Name == "-lc++" || Name.find("stdc++") != std::string::npos || Name.rfind("libc++", 0) == 0;
  });
}

/// Our part of the line, between the user's inputs and libc.
bool Linker::addRuntime(Strings &Tail, std::string &Why) {
  const std::string &Archive = linksCxx(Line) ? State.Tools.Archive : State.Tools.CArchive;
  Tail.push_back("--push-state");
  Tail.push_back("--no-whole-archive");
  if (!Line.Shared && Line.DefinesMalloc) { // nothing is rewritten; only what the program asks for by itself is taken
    Tail.insert(Tail.end(), {Archive, "--pop-state"});
    return true;
  }
  if (Line.Shared) {
    Tail.push_back("--as-needed");
    Tail.push_back(State.Tools.SharedLibrary);
    Tail.push_back("--pop-state");
    if (!State.Own.NoRpath) {
      Tail.push_back("-rpath");
      Tail.push_back(folderName(State.Tools.SharedLibrary));
    }
    return true;
  }
  if (Line.ExcludesLibs) { // what comes from an archive would be hidden: hand over its members as objects
    Strings Members = extractMembers(Archive, Folder);
    if (Members.empty()) {
      Why = "--exclude-libs hides Freehold's malloc from the program's libraries";
      return false;
    }
    for (const std::string &Member : Members) // operator new's are for C++ programs: the archive gives them those
      if (Member.find("-operators.") == std::string::npos && Member.find("-nothrow.") == std::string::npos &&
          Member.find("-new.") == std::string::npos)
        Tail.push_back(Member);
  }
  Tail.push_back(Archive);
  Tail.push_back("--pop-state");
  for (const char *Name : RuntimeSymbols) {
    Tail.push_back("-u");
    Tail.push_back(Name);
  }
  if (State.Own.Check)
    for (const char *Name : CheckSymbols) {
      Tail.push_back("-u");
      Tail.push_back(Name);
    }
  Tail.insert(Tail.end(), {"-u", "malloc", "--export-dynamic-symbol=fh_*"});
  return true;
}

Strings Linker::lldArguments(const Strings &Runtime) const {
  Strings Args;
  if (!State.LldAsked) // the defaults of the linker that clang would have used; the user's own words come later and win
    Args = {"--undefined-version", "-z", "nostart-stop-gc"};
  Args.push_back("--lto=full"); // objects are made for unified LTO (see Driver.cpp), whose default is the thin link
  Args.push_back("--load-pass-plugin=" + State.Tools.Plugin);
  Args.push_back("--why-extract=" + Folder + "/extracted");
  // With a malloc of the user's ours comes last: operator new is then C++'s library's.
  long At = !Line.Shared && Line.DefinesMalloc ? long(Line.Args.size()) : long(Line.LibrariesAt);
  Args.insert(Args.end(), Line.Args.begin(), Line.Args.begin() + At);
  Args.insert(Args.end(), Runtime.begin(), Runtime.end());
  Args.insert(Args.end(), Line.Args.begin() + At, Line.Args.end());
  if (StripDebug)
    Args.push_back("--strip-debug");
  return Args;
}

bool Linker::writeConfig() const {
  std::string Text = pluginConfig(State.Tools, State.Own, "link");
  Text += std::string("kind=") + (Line.Shared ? "shared" : "executable") + "\noutput=" + absolutePath(Line.Output) +
          "\nmark=" + Folder + "/mark\nmalloc=" + (!Line.Shared && Line.DefinesMalloc ? "other" : "ours") + "\n";
  for (const std::string &Report : State.Own.Reports)
    Text += "report=" + reportPath(Report, Line.Output) + "\n";
  if (!State.Own.Capture.empty())
    Text += "capture=" + reportPath(State.Own.Capture, Line.Output) + "\n";
  for (const std::string &Name : Line.Wrapped)
    Text += "wrap=" + Name + "\n";
  std::set<const LinkInput *> Defining;
  for (const auto &[Name, I] : Line.plainDefinitions()) {
    Defining.insert(I);
    Text +=
        "plain=" + Name + " " + nameOf(*I) +
        (I->Natively.empty() ? " without bitcode (built by another compiler)" : ", linked as a plain object: " + I->Natively) +
        "\n";
  }
  std::set<std::string> Foreign; // of archives only those that are surely looked into
  const LinkInput *Malloc = nullptr;
  for (const LinkInput &I : Line.Inputs) {
    if (I.Facts.NoBitcode && !I.Facts.Shared && I.Natively.empty() && (!I.Facts.Archive || Defining.count(&I)))
      Foreign.insert(nameOf(I));
    if (I.Facts.DefinesMalloc && !Malloc)
      Malloc = &I;
  }
  for (const std::string &Name : Foreign)
    Text += "foreign=" + Name + "\n";
  if (Malloc)
    Text += "malloc-in=" + nameOf(*Malloc) + "\n";
  for (const std::string &Object : native())
    Text += "native=" + Object + "\n";
  for (const std::string &Site : State.Own.ForceLocal)
    Text += "force-local=" + Site + "\n";
  return writeFile(Folder + "/link.config", Text);
}

static Strings withPlugin(Strings Args, const std::string &Plugin) {
  if (exists(Plugin))
    Args.insert(Args.begin(), {"-plugin", Plugin});
  return Args;
}

/// The link as clang would have done it: its linker, the native halves.
int Linker::plain(const std::string &Why) {
  if (!State.WantsDebug)
    for (const LinkInput &I : Line.Inputs) // else messages would have lines that clang's have not
      if (I.Facts.Debug && isTemporary(I))
        run(State.Tools.Objcopy, {"--strip-debug", "--keep-file-symbols", I.Path});
  bool LtoAsked = State.LtoAsked && !Line.PrintsOnly;
  if (Line.Relocatable) // our objects stay fat: joinBitcode; bitcode alone has to become native code
    LtoAsked &= std::any_of(Line.Inputs.begin(), Line.Inputs.end(), [](const LinkInput &I) { return I.Facts.BitcodeOnly; });
  if (LtoAsked && std::any_of(Line.Inputs.begin(), Line.Inputs.end(), [](const LinkInput &I) { return I.Facts.Foreign; }))
    for (const LinkInput &I : Line.Inputs) // ours are for unified LTO, which does not mix
      if (I.Facts.Bitcode && !I.Facts.Foreign)
        if (std::string Copy = nativeCopy(I, State.Tools, Folder); !Copy.empty())
          Line.Args[I.At] = Copy;
  Strings Args = nativeLine(Line.Args, LtoAsked);
  std::string Program = State.Tools.Lld;
  if (!State.LldAsked) {
    RunOptions Quiet;
    Quiet.StdoutFile = Folder + "/linker-name";
    run(State.Tools.Clang, {"-print-prog-name=ld"}, Quiet);
    readFile(Quiet.StdoutFile, Program);
    while (!Program.empty() && (Program.back() == '\n' || Program.back() == '\r'))
      Program.pop_back();
    if (!exists(Program))
      Program = "/usr/bin/ld";
    if (LtoAsked) // binutils' linker reads bitcode through LLVM's plugin
      Args = withPlugin(Args, folderName(folderName(State.Tools.Lld)) + "/lib/LLVMgold.so");
  }
  Outcome O = run(Program, Args);
  if (O.ok() && Line.Relocatable && Line.Bitcode)
    if (std::string Trouble = joinBitcode(Line, State.Tools, Folder); !Trouble.empty())
      note(output() + ": a plain object without Freehold's half: " + Trouble);
  if (O.ok() && Why != "-") {
    note(output() + ": linked without Freehold: " + Why);
    writeEmptyReports(State.Own, Line.Output, Why);
  }
  exitAs(O);
}

/// "ld.lld: error: TEXT": TEXT of the first one.
static std::string firstError(const std::string &File) {
  std::string Text;
  readFile(File, Text);
  size_t At = Text.find("error: ");
  At = At == std::string::npos ? 0 : At + 7;
  std::string Result = Text.substr(At, Text.find('\n', At) - At);
  return Result.empty() ? "lld ended without a word" : "lld says: " + Result;
}

/// Reads the mark that the plugin left.
int Linker::report() const {
  std::string Mark, Extracted, Unchecked;
  readFile(Folder + "/mark", Mark);
  readFile(Folder + "/extracted", Extracted);
  auto IsExtracted = [&](const LinkInput &I) {
    return Extracted.find("\t" + (I.Scripted || Line.Args[I.At][0] == '-' ? I.Path : Line.Args[I.At])) != std::string::npos;
  };
  bool Ran = false;
  for (size_t Begin = 0; Begin < Mark.size();) {
    size_t End = std::min(Mark.find('\n', Begin), Mark.size());
    std::string Text = Mark.substr(Begin, End - Begin), Key = Text.substr(0, Text.find('=')), Value;
    if (Text.size() > Key.size())
      Value = Text.substr(Key.size() + 1);
    Begin = End + 1;
    Ran |= Text == "ran=1";
    if (Key == "unchecked")
      Unchecked += (Unchecked.empty() ? "" : ", ") + Value;
    else if (Key == "warning" && (Unified.empty() || !begins(Value, "the link holds bitcode without"))) // named already
      note(output() + ": " + Value);
    else if (Key == "aside")
      note(output() + ": linked without Freehold: " + Value);
  }
  if (State.Own.Check || !Unchecked.empty()) // what came without bitcode the plugin has not even seen
    for (const LinkInput &I : Line.Inputs)
      if (!I.Facts.Shared && !I.Path.empty() && (!I.Facts.Bitcode || !I.Natively.empty()) && (!I.Facts.Archive || IsExtracted(I)))
        Unchecked += (Unchecked.empty() ? "" : ", ") + fileName(I.Path);
  if (!Unchecked.empty())
    note(output() + ": not instrumented by the owner check: " + Unchecked);
  bool Linked = Line.BitcodeObject;
  for (const LinkInput &I : Line.Inputs)
    Linked |= I.Facts.Bitcode && I.Natively.empty() && IsExtracted(I);
  std::string Why;
  if (!Ran && Linked) {
    Why = "its objects carry bitcode, but the plugin never saw it (made by -flto=thin or by another LLVM?); rebuild them with "
          "freehold-cc";
    note(output() + ": linked without Freehold: " + Why);
  }
  if (!Ran)
    writeEmptyReports(State.Own, Line.Output, Why, native());
  return 0;
}

int Linker::link() {
  std::string Why = whyAside();
  if (Why == "-")
    return plain(Why);
  decideStrip();
  Strings Runtime;
  if (!Why.empty() || !replaceInputs(Why) || !addRuntime(Runtime, Why))
    return plain(Why);
  if (!writeConfig())
    return plain("its private folder could not be written");
  RunOptions O;
  O.Argv0 = "ld.lld";
  O.Environment = {{ConfigVariable, Folder + "/link.config"}};
  O.StdoutFile = Folder + "/lld-stdout";
  O.StderrFile = Folder + "/lld-stderr";
  Outcome Result = run(State.Tools.Lld, lldArguments(Runtime), O);
  std::string Error = Result.ok() ? "" : firstError(O.StderrFile);
  if (Error.find("unified LTO compilation must use compatible bitcode") != std::string::npos && unifyInputs()) {
    if (!writeConfig())
      return plain("its private folder could not be written");
    Result = run(State.Tools.Lld, lldArguments(Runtime), O);
    for (const LinkInput *I : Unified)
      if (Result.ok())
        note(output() + ": " + fileName(I->Path) + ": its code is not analysed, its bitcode is of another kind of LTO");
    Error = Result.ok() ? "" : firstError(O.StderrFile);
  }
  if (!Result.ok()) {
    if (!Given.empty())
      Line.Args = Given;
    return plain("with it, " + Error);
  }
  forward(O.StdoutFile, stdout);
  forward(O.StderrFile, stderr);
  return report();
}

int linkMain(const Strings &Args) {
  const char *Config = getenv(ConfigVariable);
  LinkState State;
  std::string Folder = Config ? folderName(Config) : "";
  if (!Config || !readLinkState(Folder, State)) { // not started by freehold-cc: be the linker whose name we bear
    Toolchain T = findToolchain(false);
    become(T.Lld, Args, "ld.lld");
    return 127;
  }
  LinkLine Line = readLinkLine(Args);
  return Linker(Folder, State, Line).link();
}

} // namespace freehold::cc
