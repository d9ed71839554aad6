// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Main.cpp - `freehold VERB ...`: the table of verbs, help, version, and the one place where a fault becomes a line and an exit
// code.

#include "Options.h"
#include "Paths.h"
#include "Verbs.h"
#include "Words.h"
#include "tools/Environment.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace freehold;

char Fault::ID;

namespace {

struct Verb {
  const char *Name;
  const char *Usage;
  const char *Summary;
  const char *Details;               ///< text above the options
  std::string (*Options)();          ///< null: none
  Error (*Run)(ArrayRef<StringRef>); ///< null: not built yet
};

const Verb Verbs[] = {
    {"analyze", "freehold analyze [options] FILE... [-- FLAGS...]",
     "which allocation sites are local, and why the others are not",
     "FILE is bitcode (.bc, .ll), an object or archive made by freehold-cc, a C or C++ source, or a compile_commands.json.\n"
     "Inputs that define main are taken as a whole program, others as a library; of several that do, each is a program of its "
     "own\n"
     "with all that has no main, and the worst verdict of a site holds. The report goes to standard output.\n",
     analyzeHelp, analyze},
    {"explain", "freehold explain FILE:LINE REPORT.json | FILE:LINE [options] FILE... [-- FLAGS...] | CODE...",
     "why the site at FILE:LINE is shared, and what would make it local",
     "A file ending in .json is a saved report (but for compile_commands.json); all else is input as for analyze.\n"
     "CODE is a reason code such as FH102: its page is printed.\n",
     explainHelp, explain},
    {"diff", "freehold diff OLD.json NEW.json", "what changed between two reports (not built yet)", "", nullptr, nullptr},
    {"run", "freehold run [options] -- CMD...", "run an unmodified program on libfreehold",
     "libfreehold.so is put in front of CMD's own LD_PRELOAD; freehold then becomes CMD. Programs that are linked statically or\n"
     "run with raised privileges cannot be preloaded and are refused.\n",
     runHelp, freehold::run},
    {"doctor", "freehold doctor [--json] [BINARY]", "access models of this machine, or of a binary",
     "Without BINARY: what this machine offers, what each access model costs here (measured), how much static TLS the loader "
     "keeps for\n"
     "dlopen'ed libraries (tried), and what to choose. With BINARY, an x86-64 ELF executable or library: its allocator, what "
     "was\n"
     "rewritten, and the access model of each of its thread-local variables.\n",
     doctorHelp, doctor},
};

void printHelp(raw_ostream &OS) {
  OS << "freehold: thread-local heaps, proved at compile time\n\nusage: freehold VERB [options] ...\n\nverbs:\n";
  for (const Verb &V : Verbs)
    OS << "  " << V.Name << std::string(10 - StringRef(V.Name).size(), ' ') << V.Summary << '\n';
  OS << "\nfreehold help VERB tells more; --version prints the version.\n"
        "exit codes: 0 done, 1 findings above an asked threshold, 2 usage, 3 input, 4 internal\n";
}

void printHelp(const Verb &V, raw_ostream &OS) {
  OS << "usage: " << V.Usage << "\n\n" << V.Summary << '\n';
  if (*V.Details)
    OS << '\n' << V.Details;
  if (V.Options)
    OS << "\noptions:\n" << V.Options();
}

void printVersion() { outs() << "freehold " << FREEHOLD_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n"; }

const Verb *findVerb(StringRef Name) {
  for (const Verb &V : Verbs)
    if (Name == V.Name)
      return &V;
  return nullptr;
}

Error unknownVerb(StringRef Name) {
  std::vector<StringRef> Names;
  for (const Verb &V : Verbs)
    Names.push_back(V.Name);
  std::string Near = didYouMean(Name, Names);
  return usageError("unknown verb '" + Name + "'" + (Near.empty() ? "; freehold --help lists them" : Near));
}

Error help(ArrayRef<StringRef> Args) {
  if (Args.empty()) {
    printHelp(outs());
    return Error::success();
  }
  const Verb *V = findVerb(Args[0]);
  if (!V)
    return unknownVerb(Args[0]);
  printHelp(*V, outs());
  return Error::success();
}

/// --help and --version hold anywhere before `--`.
bool asks(ArrayRef<StringRef> Args, StringRef Option) {
  for (StringRef A : Args) {
    if (A == "--")
      return false;
    if (A == Option)
      return true;
  }
  return false;
}

Error runVerb(ArrayRef<StringRef> Args) {
  if (Args.empty())
    return usageError("no verb given; freehold --help lists them");
  StringRef First = Args[0];
  if (First == "--version") {
    printVersion();
    return Error::success();
  }
  if (First == "--help" || First == "-h" || First == "help")
    return help(First == "help" ? Args.drop_front() : Args.take_front(0));
  const Verb *V = findVerb(First);
  if (!V)
    return unknownVerb(First);
  ArrayRef<StringRef> Rest = Args.drop_front();
  if (asks(Rest, "--help") || asks(Rest, "-h"))
    return help(First);
  if (asks(Rest, "--version")) {
    printVersion();
    return Error::success();
  }
  if (!V->Run)
    return usageError(First + " is not built yet");
  return V->Run(Rest);
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  rememberProgram(Argv[0]);
  std::vector<StringRef> Args(Argv + 1, Argv + Argc);
  if (Args.empty() || Args[0] != "run") // the command's own libfreehold says it
    readEnvironment("freehold", /*Forget=*/true);
  int Code = Done;
  handleAllErrors(
      runVerb(Args),
      [&](const Fault &F) {
        errs() << "freehold: error: " << F.message() << '\n';
        Code = F.Code;
      },
      [&](const ErrorInfoBase &E) {
        errs() << "freehold: error: " << E.message() << '\n';
        Code = BadInput;
      });
  outs().flush();
  if (outs().has_error()) {
    errs() << "freehold: error: cannot write to standard output: " << outs().error().message() << '\n';
    outs().clear_error();
    return BadInput;
  }
  return Code;
}
