// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explain.cpp - `freehold explain FILE:LINE`: one site's verdict, its witness, and the one edge to cut.

#include "Inputs.h"
#include "Pipeline.h"
#include "Reasons.h"
#include "Words.h"
#include "summary/Nesting.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace freehold {
namespace {

struct Wanted {
  std::string File;
  unsigned Line = 0, Column = 0; ///< Column 0: any
};

/// FILE:LINE or FILE:LINE:COLUMN. The file name may hold colons itself.
std::optional<Wanted> parsePlace(StringRef Text) {
  Wanted W;
  auto [Left, Last] = Text.rsplit(':');
  unsigned Number = 0;
  if (Left.empty() || Last.getAsInteger(10, Number) || !Number)
    return std::nullopt;
  auto [File, Middle] = Left.rsplit(':');
  unsigned Line = 0;
  if (!File.empty() && !Middle.empty() && !Middle.getAsInteger(10, Line) && Line)
    return Wanted{File.str(), Line, Number};
  return Wanted{Left.str(), Number, 0};
}

/// The same file, or the tail of its path: util.c finds src/util.c.
bool sameFile(StringRef InReport, StringRef Asked) {
  SmallString<128> Tidy(Asked);
  sys::path::remove_dots(Tidy, /*remove_dot_dot=*/true);
  if (InReport == Tidy)
    return true;
  StringRef Shorter = InReport.size() < Tidy.size() ? InReport : StringRef(Tidy);
  StringRef Longer = InReport.size() < Tidy.size() ? StringRef(Tidy) : InReport;
  return Longer.ends_with(Shorter) && Longer.drop_back(Shorter.size()).ends_with("/");
}

Expected<Report> readReport(StringRef FileName) {
  auto Buffer = MemoryBuffer::getFile(FileName);
  if (!Buffer)
    return inputError("cannot read '" + FileName + "': " + Buffer.getError().message());
  if (std::optional<unsigned> Line = deepNesting((*Buffer)->getBuffer(), JSONNesting, DeepestInput))
    return inputError("'" + FileName + "' is not a freehold report: nested too deeply at line " + Twine(*Line));
  Expected<Report> R = readJSON((*Buffer)->getBuffer());
  if (!R)
    return inputError("'" + FileName + "' is not a freehold report: " + toString(R.takeError()));
  return R;
}

bool isReport(StringRef FileName) {
  return sys::path::extension(FileName) == ".json" && sys::path::filename(FileName) != "compile_commands.json";
}

std::string place(StringRef File, unsigned Line) { return (File + ":" + Twine(Line) + ": ").str(); }

void explainLocal(const SiteReport &S, raw_ostream &OS) {
  OS << "  by rule " << S.Rule
     << ": no path leads from a thread root (a global, a thread's argument or result, what an external may keep) to"
     << " the block" << (S.Rewritten ? "; the call was rewritten to the local heap\n" : "\n");
}

void explainOpen(const SiteReport &S, raw_ostream &OS) {
  if (!S.Why) {
    OS << "  the report names no reason\n";
    return;
  }
  const Reason &Why = *S.Why;
  OS << "  reason " << Why.Code << ": " << Why.Text << " (freehold explain " << Why.Code << ")\n";
  for (const Frame &F : S.Context)
    OS << place(F.File, F.Line) << "called in " << F.Function << '\n';
  for (const Step &St : Why.Path)
    OS << place(St.File, St.Line) << St.What << '\n';
  if (Why.Path.empty())
    return;
  const Step &Last = Why.Path.back();
  OS << "  cut here: " << Last.File << ':' << Last.Line << ": without the edge \"" << Last.What
     << "\" this path does not exist\n";
  if (const ReasonInfo *Info = findReason(Why.Code); Info && *Info->Cut)
    OS << "  help: " << Info->Cut << '\n';
}

void explainSite(const SiteReport &S, raw_ostream &OS) {
  std::string Callee = demangle(S.Callee);
  StringRef Verdict = S.V == Verdict::Local ? "local" : S.V == Verdict::Shared ? "shared" : "unknown";
  OS << S.File << ':' << S.Line << ':' << S.Column << ": " << Verdict << ": " << StringRef(Callee).split('(').first << '(';
  if (S.Size)
    OS << *S.Size;
  OS << ") in " << S.Function << '\n';
  if (S.V == freehold::Verdict::Local)
    explainLocal(S, OS);
  else
    explainOpen(S, OS);
}

/// Where the line has no site: what the file does have.
Error noSite(const Report &R, const Wanted &W) {
  std::string Lines;
  unsigned Count = 0;
  for (const SiteReport &S : R.Sites)
    if (sameFile(S.File, W.File) && ++Count <= 10)
      Lines += (Lines.empty() ? "" : ", ") + std::to_string(S.Line);
  std::string Text = "no allocation site at " + W.File + ":" + std::to_string(W.Line);
  if (Count)
    Text += "; this file has sites at line " + Lines + (Count > 10 ? ", ..." : "");
  else
    Text += "; the report has no site in this file";
  if (R.Unreachable)
    Text += " (" + std::to_string(R.Unreachable) + " sites in functions that nothing reaches are left out)";
  return inputError(Text);
}

/// A page of docs/reasons for a terminal: no marks of Markdown but backquotes, examples indented, links as their text.
void printPage(StringRef Text, raw_ostream &OS) {
  bool Example = false;
  Text.consume_front("# ");
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    if (Line.starts_with("```")) {
      Example = !Example;
      continue;
    }
    if (Example) {
      OS << (Line.empty() ? "" : "    ") << Line << '\n';
      continue;
    }
    while (!Line.empty()) {
      size_t Middle = Line.find("]("), End = Line.find(')', Middle);
      if (Line.consume_front("**") || (Line[0] == '[' && Middle != StringRef::npos && End != StringRef::npos)) {
        if (Line[0] != '[' || Middle == StringRef::npos)
          continue;
        OS << Line.slice(1, Middle);
        Line = Line.drop_front(End + 1);
        continue;
      }
      OS << Line[0];
      Line = Line.drop_front();
    }
    OS << '\n';
  }
}

bool looksLikeCode(StringRef Text) {
  return Text.size() > 2 && Text.take_front(2).equals_insensitive("FH") && all_of(Text.drop_front(2), isDigit);
}

/// `freehold explain FH102 ...`: the pages themselves.
Error explainCodes(const AnalyzeOptions &O) {
  std::vector<std::string> Known;
  for (const ReasonInfo &R : reasonTable())
    Known.push_back(reasonName(R.Code));
  std::vector<StringRef> Pages;
  for (const std::string &Asked : O.Inputs) {
    std::string Code = StringRef(Asked).upper();
    if (!looksLikeCode(Code))
      return usageError("explain takes reason codes or FILE:LINE, not both: '" + Asked + "'");
    if (!findReason(StringRef(Code)))
      return usageError("'" + Asked + "' is no reason code" +
                        didYouMean(Code, std::vector<StringRef>(Known.begin(), Known.end())));
    Pages.push_back(reasonPage(Code));
  }
  if (O.Format == OutputFormat::JSON)
    return usageError("the page of a reason code is text only");
  return writeOutput(O, [&](raw_ostream &OS, Format, bool) {
    for (StringRef Page : Pages) {
      if (Page.data() != Pages[0].data())
        OS << '\n';
      printPage(Page, OS);
    }
  });
}

/// Options that would change nothing are refused: who gave one would take the answer for another.
Error checkOptions(const AnalyzeOptions &O, bool FromReport) {
  if (O.Timings)
    return usageError("--timings is an option of analyze");
  if (O.Summaries)
    return usageError("--summaries is an option of analyze");
  const char *Idle = !O.Base.empty()            ? "--base"
                     : !O.ModelsDir.empty()     ? "--models"
                     : O.ContextDepth           ? "--context-depth"
                     : O.CheckSolver            ? "--check-solver"
                     : !O.CompilerFlags.empty() ? "--"
                                                : nullptr;
  if (FromReport && Idle)
    return usageError(Twine(Idle) + " does not hold for a saved report");
  return checkOutput(O);
}

} // namespace

Error explain(ArrayRef<StringRef> Args) {
  Expected<AnalyzeOptions> O = parseAnalyzeOptions(Args);
  if (!O)
    return O.takeError();
  if (O->Inputs.empty())
    return usageError("explain needs FILE:LINE, and then a REPORT.json or the inputs to analyse; or a reason code");
  if (looksLikeCode(O->Inputs[0])) {
    if (Error E = checkOptions(*O, /*FromReport=*/true))
      return E;
    return explainCodes(*O);
  }
  std::optional<Wanted> W = parsePlace(O->Inputs[0]);
  if (!W)
    return usageError("'" + O->Inputs[0] + "' is neither FILE:LINE nor a reason code such as FH102");
  O->Inputs.erase(O->Inputs.begin());
  if (O->Inputs.empty())
    return usageError("explain needs a REPORT.json or the inputs to analyse behind " + W->File + ":" + Twine(W->Line));
  bool FromReport = isReport(O->Inputs[0]);
  for (const std::string &I : O->Inputs)
    if (O->Inputs.size() > 1 && isReport(I))
      return usageError("explain takes one REPORT.json or inputs, not both");
  if (Error E = checkOptions(*O, FromReport))
    return E;
  Expected<Report> R = FromReport ? readReport(O->Inputs[0]) : analyzeInputs(*O);
  if (!R)
    return R.takeError();
  std::vector<const SiteReport *> Found;
  for (const SiteReport &S : R->Sites)
    if (S.Line == W->Line && (!W->Column || S.Column == W->Column) && sameFile(S.File, W->File))
      Found.push_back(&S);
  if (Found.empty())
    return noSite(*R, *W);
  return writeOutput(*O, [&](raw_ostream &OS, Format F, bool) {
    if (F == Format::JSON)
      return printExplanation(*R, Found, OS);
    for (const SiteReport *S : Found) {
      if (S != Found[0])
        OS << '\n';
      explainSite(*S, OS);
    }
  });
}

} // namespace freehold
