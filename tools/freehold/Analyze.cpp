// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyze.cpp - `freehold analyze`: the analysis without a linker, and its report.

#include "Inputs.h"
#include "Paths.h"
#include "Pipeline.h"
#include "Programs.h"
#include "escape/Escape.h"
#include "solver/Contexts.h"
#include "summary/SummaryIO.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <sys/resource.h>

using namespace llvm;

namespace freehold {
namespace {

/// A terminal that shows bytes and obeys none, or nobody has said what it is.
bool isDumb() {
  std::string Kind = sys::Process::GetEnv("TERM").value_or("");
  return Kind.empty() || Kind == "dumb";
}

bool canColour() { return !isDumb() && sys::Process::GetEnv("NO_COLOR").value_or("").empty(); }

/// One line on a terminal that tells the phase; gone when the work is done.
class Progress {
public:
  explicit Progress(bool Quiet) : On(!Quiet && sys::Process::StandardErrIsDisplayed() && !isDumb()) {}
  ~Progress() {
    if (On)
      errs() << "\r\x1b[K";
  }
  void phase(StringRef Text) {
    if (On)
      errs() << "\r\x1b[Kfreehold: " << Text << " ...";
  }

private:
  bool On;
};

class Stopwatch {
public:
  /// Seconds since the last lap, by milliseconds.
  double lap() {
    auto Now = std::chrono::steady_clock::now();
    auto Passed = std::chrono::duration_cast<std::chrono::milliseconds>(Now - Last);
    Last = Now;
    return Passed.count() / 1000.0;
  }

private:
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

unsigned peakMegabytes() {
  rusage Usage = {};
  getrusage(RUSAGE_SELF, &Usage);
  return unsigned(Usage.ru_maxrss / 1024);
}

Expected<Models> loadModels(const AnalyzeOptions &O) {
  if (!O.ModelsDir.empty() && !sys::fs::is_directory(O.ModelsDir))
    return inputError("cannot read models: '" + O.ModelsDir + "' is no folder");
  std::string Folder = modelsFolder();
  if (Folder.empty())
    return inputError("no models found beside freehold (../share/freehold/models)");
  Expected<Models> M = Models::load(Folder);
  if (M && !O.ModelsDir.empty())
    if (Error E = M->addFolder(O.ModelsDir))
      return std::move(E);
  return M;
}

/// Solves and judges one program.
Expected<Report> analyzeProgram(const OneProgram &One, const Models &M, const AnalyzeOptions &O, Report::Times &Times,
                                Progress &Shown) {
  Stopwatch Watch;
  Report R;
  R.ProgramName = One.Name;
  R.PointsTo = O.PointsTo;
  Program P = mergeModules(One.Modules, One.Symbols);
  Times.Read += Watch.lap();
  Shown.phase("solving");
  ContextOptions Contexts;
  Contexts.Depth = O.ContextDepth.value_or(Contexts.Depth);
  Solution S = solveInContexts(P, M, {}, Contexts);
  Times.Solve += Watch.lap();
  if (!S.Finished) {
    R.Aside = "the points-to analysis did not finish within its work limit: nothing is known [FH207]";
    return R;
  }
  if (O.CheckSolver) {
    Shown.phase("solving again, naively");
    std::string Difference = compareSolutions(P, S, solveNaive(P, M));
    if (!Difference.empty())
      return internalError("the two solvers disagree: " + Difference);
    Watch.lap();
  }
  Shown.phase("judging");
  judgeReachable(P, S, One.Symbols, O.Base, R, &M);
  Times.Verdicts += Watch.lap();
  return R;
}

} // namespace

Error checkOutput(const AnalyzeOptions &O) {
  if (O.Output.empty() || O.Output == "-")
    return Error::success();
  if (!O.Format)
    if (Expected<Format> F = formatOf(O.Output); !F)
      return usageError(toString(F.takeError()));
  StringRef Folder = sys::path::parent_path(O.Output);
  if (std::error_code EC = sys::fs::access(Folder.empty() ? StringRef(".") : Folder, sys::fs::AccessMode::Write))
    return inputError("cannot write report '" + O.Output + "': " + EC.message());
  if (sys::fs::is_directory(O.Output))
    return inputError("cannot write report '" + O.Output + "': it is a folder");
  return Error::success();
}

Error writeOutput(const AnalyzeOptions &O, function_ref<void(raw_ostream &, Format, bool)> Print) {
  Format F = Format::Text;
  if (O.Format)
    F = *O.Format == OutputFormat::JSON ? Format::JSON : Format::Text;
  else if (!O.Output.empty() && O.Output != "-")
    F = cantFail(formatOf(O.Output)); // checkOutput has asked
  if (!O.Output.empty() && O.Output != "-")
    return writeFile(O.Output, [&](raw_ostream &OS) { Print(OS, F, false); });
  Print(outs(), F, F == Format::Text && sys::Process::StandardOutIsDisplayed() && canColour());
  return Error::success();
}

Expected<Report> analyzeInputs(const AnalyzeOptions &O) {
  Progress Shown(O.Quiet);
  Stopwatch Watch;
  Report::Times Times;
  if (!O.Base.empty() && !sys::fs::is_directory(O.Base))
    return inputError("--base: '" + O.Base + "' is no folder");
  Shown.phase("reading inputs");
  Expected<Models> M = loadModels(O);
  if (!M)
    return M.takeError();
  Expected<Inputs> In = readInputs(O);
  if (!In)
    return In.takeError();
  for (const std::string &W : In->Warnings)
    errs() << "freehold: warning: " << W << '\n';
  std::vector<std::string> Notes;
  Expected<std::vector<OneProgram>> Programs = splitPrograms(*In, Notes);
  if (!Programs)
    return Programs.takeError();
  for (const std::string &N : Notes)
    errs() << "freehold: note: " << N << '\n';
  Times.Read = Watch.lap();
  std::vector<Report> Parts;
  for (const OneProgram &One : *Programs) {
    Expected<Report> R = analyzeProgram(One, *M, O, Times, Shown);
    if (!R || R->Aside)
      return R; // one program without verdicts leaves none for all
    Parts.push_back(std::move(*R));
  }
  Report R = mergeReports(std::move(Parts), *In);
  Times.PeakRSSMB = peakMegabytes();
  if (O.Timings)
    R.Timings = Times;
  return R;
}

/// What the analysis knows of each module, before any is merged.
static Error printSummaries(const AnalyzeOptions &O) {
  Expected<Inputs> In = readInputs(O);
  if (!In)
    return In.takeError();
  for (const Module &M : In->Modules)
    dumpSummary(M, outs());
  return Error::success();
}

Error analyze(ArrayRef<StringRef> Args) {
  Expected<AnalyzeOptions> O = parseAnalyzeOptions(Args);
  if (!O)
    return O.takeError();
  if (O->Inputs.empty())
    return usageError("analyze needs at least one input; freehold help analyze tells which kinds");
  if (O->Summaries)
    return O->Format || !O->Output.empty() ? usageError("--summaries go to standard output, as text: no --format, no -o")
                                           : printSummaries(*O);
  if (Error E = checkOutput(*O))
    return E;
  Expected<Report> R = analyzeInputs(*O);
  if (!R)
    return R.takeError();
  R->Again = sameAnalysis(Args);
  return writeOutput(
      *O, [&](raw_ostream &OS, Format F, bool Colour) { F == Format::JSON ? printJSON(*R, OS) : printText(*R, OS, Colour); });
}

} // namespace freehold
