// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options.cpp - the table of options. `--name=VALUE` and `--name VALUE` mean the same. What is planned and not built yet is in
// the table too: asking for it is an error that says so, never an answer of another kind.

#include "Options.h"
#include "Words.h"
#include "escape/Analysis.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace freehold {
namespace {

using Setter = Error (*)(AnalyzeOptions &, StringRef Value);

struct Option {
  const char *Name;  ///< with its dashes
  const char *Value; ///< placeholder in the help; null: a switch
  const char *Help;  ///< null: for tests and benches, not shown
  Setter Set;        ///< null: one of the two below
  std::string AnalyzeOptions::*Text = nullptr;
  bool AnalyzeOptions::*Switch = nullptr;

  Error apply(AnalyzeOptions &O, StringRef V) const {
    if (Set)
      return Set(O, V);
    if (Text)
      O.*Text = V.str();
    else
      O.*Switch = true;
    return Error::success();
  }
};

Error notBuilt(StringRef What, StringRef Instead) {
  return usageError(Twine(What) + " is not built yet" + (Instead.empty() ? "" : "; " + Instead));
}

Error setFormat(AnalyzeOptions &O, StringRef V) {
  if (V == "text")
    O.Format = OutputFormat::Text;
  else if (V == "json")
    O.Format = OutputFormat::JSON;
  else if (V == "sarif" || V == "html")
    return notBuilt("--format=" + V.str(), "use text or json");
  else
    return usageError("--format takes text or json, not '" + V + "'" + didYouMean(V, {"text", "json"}));
  return Error::success();
}

Error setEscape(AnalyzeOptions &, StringRef V) {
  if (V == "reachable")
    return Error::success();
  if (V == "confined")
    return notBuilt("--escape=confined", "use reachable");
  return usageError("--escape takes reachable, not '" + V + "'" + didYouMean(V, {"reachable"}));
}

Error setPointsTo(AnalyzeOptions &O, StringRef V) {
  if (isPointsTo(V)) {
    O.PointsTo = V.str();
    return Error::success();
  }
  if (V == "field-based")
    return notBuilt("--points-to=" + V.str(), "use field-sensitive");
  return usageError("--points-to takes field-sensitive, field-insensitive or unification, not '" + V + "'" +
                    didYouMean(V, {"field-sensitive", "field-insensitive", "unification"}));
}

Error setDepth(AnalyzeOptions &O, StringRef V) {
  unsigned N = 0;
  if (V.getAsInteger(10, N) || N > 8)
    return usageError("--context-depth takes a number from 0 to 8, not '" + V + "'");
  O.ContextDepth = N;
  return Error::success();
}

Error setWorkLimit(AnalyzeOptions &O, StringRef V) {
  uint64_t N = 0;
  if (V.getAsInteger(10, N) || N == 0)
    return usageError("--work-limit takes a number from 1, not '" + V + "'");
  O.WorkLimit = N;
  return Error::success();
}

Error setCopies(AnalyzeOptions &O, StringRef V) {
  if (V.getAsInteger(10, O.Copies) || O.Copies < 1 || O.Copies > 1000)
    return usageError("--copies takes a number from 1 to 1000, not '" + V + "'");
  return Error::success();
}

const Option Table[] = {
    {"--format", "text|json", "form of the report (default: by the suffix of -o's FILE, else text)", setFormat},
    {"-o", "FILE", "write the report to FILE, - for standard output", nullptr, &AnalyzeOptions::Output},
    {"--escape", "reachable", "rule of thread escape (confined is not built yet)", setEscape},
    {"--points-to", "KIND",
     "points-to analysis: field-sensitive, field-insensitive or unification (field-based is not built yet)", setPointsTo},
    {"--work-limit", "N",
     "steps of work after which a coarser points-to analysis takes over (default: 40000000 and 500 for each constraint)",
     setWorkLimit},
    {"--context-depth", "N", "how many frames of allocation wrappers are told apart (default: 3; 0: none)", setDepth},
    {"--base", "DIR", "paths in the report are relative to DIR (default: the working directory)", nullptr, &AnalyzeOptions::Base},
    {"--models", "DIR", "models of library functions, beside those that come with freehold or in place of them by name", nullptr,
     &AnalyzeOptions::ModelsDir},
    {"--timings", nullptr, "seconds and memory in the report", nullptr, nullptr, &AnalyzeOptions::Timings},
    {"--stats", "FILE", "sizes, times and memory of each stage, and what made values external, as JSON in FILE", nullptr,
     &AnalyzeOptions::Stats},
    {"--check-solver", nullptr, "solve a second time with the naive solver and compare (slow)", nullptr, nullptr,
     &AnalyzeOptions::CheckSolver},
    {"--copies", "N", nullptr, setCopies},
    {"--stress", nullptr, nullptr, nullptr, nullptr, &AnalyzeOptions::Stress},
    {"--summaries", nullptr, "print the inputs' constraint summaries in place of a report", nullptr, nullptr,
     &AnalyzeOptions::Summaries},
    {"--quiet", nullptr, "no progress on a terminal", nullptr, nullptr, &AnalyzeOptions::Quiet},
    {"--time-limit", "SECONDS", "not built yet", [](AnalyzeOptions &, StringRef) { return notBuilt("--time-limit", ""); }},
    {"--memory-limit", "SIZE", "not built yet", [](AnalyzeOptions &, StringRef) { return notBuilt("--memory-limit", ""); }},
};

const Option *findOption(StringRef Name) {
  for (const Option &O : Table)
    if (Name == O.Name || (Name == "-q" && StringRef(O.Name) == "--quiet"))
      return &O;
  return nullptr;
}

Error unknownOption(StringRef Name) {
  std::vector<StringRef> Names;
  for (const Option &O : Table)
    if (O.Help)
      Names.push_back(O.Name);
  return usageError("unknown option '" + Name + "'" + didYouMean(Name, Names));
}

} // namespace

Expected<AnalyzeOptions> parseAnalyzeOptions(ArrayRef<StringRef> Args) {
  AnalyzeOptions O;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--") {
      for (StringRef Flag : Args.drop_front(I + 1))
        O.CompilerFlags.push_back(Flag.str());
      break;
    }
    if (!Arg.starts_with("-") || Arg == "-") {
      O.Inputs.push_back(Arg.str());
      continue;
    }
    auto [Name, Value] = Arg.split('=');
    bool HasValue = Name.size() != Arg.size();
    const Option *Known = findOption(Name);
    if (!Known)
      return unknownOption(Name);
    if (!Known->Value && HasValue)
      return usageError(Twine(Known->Name) + " takes no value");
    if (Known->Value && !HasValue) {
      if (++I == Args.size())
        return usageError(Twine(Known->Name) + " needs a value");
      Value = Args[I];
    }
    if (Known->Value && Value.empty())
      return usageError(Twine(Known->Name) + " needs a value");
    if (Error E = Known->apply(O, Value))
      return std::move(E);
  }
  return O;
}

std::string sameAnalysis(ArrayRef<StringRef> Args) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Name = Args[I].split('=').first;
    if (Args[I] == "--") {
      for (StringRef Word : Args.drop_front(I))
        printWord(Word, OS);
      break;
    }
    const Option *Known = findOption(Name);
    size_t Words = Known && Known->Value && Name.size() == Args[I].size() ? 2 : 1;
    if (!Known || !is_contained({"--format", "-o", "--timings", "--stats"}, StringRef(Known->Name)))
      for (StringRef Word : Args.slice(I, Words))
        printWord(Word, OS);
    I += Words - 1;
  }
  return Text;
}

static std::string optionHelp(StringRef Without) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Option &O : Table) {
    if (!O.Help || Without == O.Name)
      continue;
    std::string Left = O.Name;
    if (O.Value)
      Left += (StringRef(O.Name).starts_with("--") ? "=" : " ") + std::string(O.Value);
    OS << "  " << left_justify(Left, 30) << ' ' << O.Help << '\n';
  }
  OS << "  " << left_justify("-- FLAGS...", 30) << " flags of the compiler for C and C++ sources (default: -O2)\n";
  return Text;
}

std::string analyzeHelp() { return optionHelp(""); }
std::string explainHelp() { return optionHelp("--timings"); }

} // namespace freehold
