// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyze.cpp - `freehold analyze`: the analysis without a linker, and its report.

#include "Inputs.h"
#include "Paths.h"
#include "Pipeline.h"
#include "escape/Escape.h"
#include "solver/Contexts.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <sys/resource.h>

using namespace llvm;

namespace freehold {
namespace {

/// One line on a terminal that tells the phase; gone when the work is done.
class Progress {
public:
  explicit Progress(bool Quiet) : On(!Quiet && sys::Process::StandardErrIsDisplayed()) {}
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
  std::string Folder = O.ModelsDir.empty() ? modelsFolder() : O.ModelsDir;
  if (Folder.empty())
    return inputError("no models found beside freehold (../share/freehold/models); name their folder with --models=DIR");
  if (!sys::fs::is_directory(Folder))
    return inputError("cannot read models: '" + Folder + "' is no folder");
  Expected<Models> M = Models::load(Folder);
  if (M && !M->find("malloc"))
    return inputError("the models in '" + Folder + "' say nothing of malloc; is it the right folder?");
  return M;
}

/// A report that could not be written in the end shall not cost the analysis first.
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

/// Without a linker, plus what plain objects among the inputs tell.
Resolution resolve(const Inputs &In) {
  Resolution R = defaultResolution(In.Modules);
  for (const std::string &Name : In.PlainDefined) {
    R.Redefined.insert(Name);
    R.Symbols[Name].DefinedOutside = true;
    R.Symbols[Name].VisibleOutside = true;
  }
  for (const std::string &Name : In.PlainUsed)
    R.Symbols[Name].VisibleOutside = true;
  return R;
}

Error writeTo(const Report &R, const AnalyzeOptions &O) {
  if (!O.Output.empty() && O.Output != "-")
    return writeReport(R, O.Output,
                       O.Format == OutputFormat::JSON ? std::optional(Format::JSON)
                       : O.Format                     ? std::optional(Format::Text)
                                                      : std::nullopt);
  if (O.Format == OutputFormat::JSON)
    printJSON(R, outs());
  else
    printText(R, outs(), sys::Process::StandardOutIsDisplayed() && !sys::Process::GetEnv("NO_COLOR"));
  return Error::success();
}

} // namespace

Expected<Report> analyzeInputs(const AnalyzeOptions &O) {
  Progress Shown(O.Quiet);
  Stopwatch Watch;
  Report R;
  Report::Times Times;
  Shown.phase("reading inputs");
  Expected<Models> M = loadModels(O);
  if (!M)
    return M.takeError();
  Expected<Inputs> In = readInputs(O);
  if (!In)
    return In.takeError();
  for (const std::string &W : In->Warnings)
    errs() << "freehold: warning: " << W << '\n';
  Resolution Res = resolve(*In);
  Program P = mergeModules(In->Modules, Res);
  Times.Read = Watch.lap();
  Shown.phase("solving");
  ContextOptions Contexts;
  Contexts.Depth = O.ContextDepth.value_or(Contexts.Depth);
  Solution S = solveInContexts(P, *M, {}, Contexts);
  Times.Solve = Watch.lap();
  if (!S.Finished) {
    R.ProgramName = In->Name;
    R.Aside = "the points-to analysis did not finish within its work limit: nothing is known [FH207]";
    return R;
  }
  if (O.CheckSolver) {
    Shown.phase("solving again, naively");
    std::string Difference = compareSolutions(P, S, solveNaive(P, *M));
    if (!Difference.empty())
      return internalError("the two solvers disagree: " + Difference);
    Watch.lap();
  }
  Shown.phase("judging");
  R.ProgramName = In->Name;
  R.PointsTo = O.PointsTo;
  judgeReachable(P, S, Res, O.Base, R, &*M);
  Times.Verdicts = Watch.lap();
  Times.PeakRSSMB = peakMegabytes();
  if (O.Timings)
    R.Timings = Times;
  return R;
}

Error analyze(ArrayRef<StringRef> Args) {
  Expected<AnalyzeOptions> O = parseAnalyzeOptions(Args);
  if (!O)
    return O.takeError();
  if (O->Inputs.empty())
    return usageError("analyze needs at least one input; freehold help analyze tells which kinds");
  if (Error E = checkOutput(*O))
    return E;
  Expected<Report> R = analyzeInputs(*O);
  if (!R)
    return R.takeError();
  return writeTo(*R, *O);
}

} // namespace freehold
