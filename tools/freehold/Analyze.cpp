// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyze.cpp - `freehold analyze`: the analysis without a linker, and its report.

#include "Inputs.h"
#include "Paths.h"
#include "Pipeline.h"
#include "Programs.h"
#include "Statistics.h"
#include "escape/Analysis.h"
#include "summary/SummaryIO.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

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

/// Solves and judges one program. Its modules are gone once they are merged: they take as much memory as a solution.
Expected<Report> analyzeProgram(OneProgram &One, const Models &M, const AnalyzeOptions &O, Report::Times &Times, Progress &Shown,
                                Statistics &Stats) {
  Stopwatch Watch;
  ProgramStatistics &Of = Stats.begin(One.Name, One.Modules);
  Report R;
  R.ProgramName = One.Name;
  AnalysisOptions How;
  How.PointsTo = O.PointsTo;
  How.Contexts.Depth = O.ContextDepth.value_or(How.Contexts.Depth);
  How.WorkLimit = O.WorkLimit;
  How.Stress = O.Stress;
  How.Base = O.Base;
  std::string Difference;
  auto Merged = [&](const Program &P) {
    One.Modules = {};
    Times.Read += Watch.lap();
    Of.merged(P);
    Shown.phase("solving");
  };
  auto Solved = [&](const Program &P, const Solution &S, const SolverOptions &Used) {
    Times.Solve += Watch.lap();
    Of.solved(P, S);
    if (O.CheckSolver && S.Finished && !Used.Unify) {
      Shown.phase("solving again, naively");
      Difference = compareSolutions(P, S, solveNaive(P, M, Used, &S.Log));
      Watch.lap();
      Of.Stages.next(""); // not counted
    }
    Shown.phase("judging");
  };
  auto Judged = [&](const Program &P, const Solution &S) {
    Times.Verdicts += Watch.lap();
    Of.judged(R);
    if (!O.Stats.empty())
      Of.explain(P, S);
  };
  Analysis{M, How, Merged, Solved, Judged}.run(One.Modules, One.Symbols, R);
  if (!Difference.empty())
    return internalError("the two solvers disagree: " + Difference);
  return R;
}

} // namespace

static Error checkWritable(StringRef What, StringRef File) {
  StringRef Folder = sys::path::parent_path(File);
  if (std::error_code EC = sys::fs::access(Folder.empty() ? StringRef(".") : Folder, sys::fs::AccessMode::Write))
    return inputError("cannot write " + What + " '" + File + "': " + EC.message());
  if (sys::fs::is_directory(File))
    return inputError("cannot write " + What + " '" + File + "': it is a folder");
  return Error::success();
}

Error checkOutput(const AnalyzeOptions &O) {
  if (!O.Stats.empty())
    if (Error E = checkWritable("statistics", O.Stats))
      return E;
  if (O.Output.empty() || O.Output == "-")
    return Error::success();
  if (!O.Format)
    if (Expected<Format> F = formatOf(O.Output); !F)
      return usageError(toString(F.takeError()));
  return checkWritable("report", O.Output);
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
  Statistics Stats;
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
  Stats.Reading.next("read");
  std::vector<Report> Parts;
  for (OneProgram &One : *Programs) {
    copyUnderNewNames(One, O.Copies);
    Expected<Report> R = analyzeProgram(One, *M, O, Times, Shown, Stats);
    if (!R)
      return R;
    if (R->Aside) { // one program without verdicts leaves none for all
      if (Error E = Stats.write(O))
        return std::move(E);
      return R;
    }
    Parts.push_back(std::move(*R));
  }
  if (Error E = Stats.write(O))
    return std::move(E);
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
