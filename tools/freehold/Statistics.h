// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics.h - what `freehold analyze --stats` writes: freehold-analysis-stats/1 (docs/analysis-stats.md).
#pragma once

#include "Causes.h"
#include "Options.h"
#include "Report.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <deque>

namespace freehold {

/// The most memory that this process has had at once so far.
unsigned peakMegabytes();

/// One stage after another: seconds on the clock and of the processor, and the peak of memory at its end.
class Stages {
public:
  struct Stage {
    std::string Name;
    double Seconds, CPUSeconds;
    unsigned PeakRSSMB;
  };
  Stages();
  /// Ends a stage. One without a name is left out.
  void next(llvm::StringRef Name);
  const std::vector<Stage> &all() const { return Done; }

private:
  std::vector<Stage> Done;
  std::chrono::steady_clock::time_point Since;
  double CPUSince;
};

/// One program of an analysis.
class ProgramStatistics {
public:
  freehold::Stages Stages;

  ProgramStatistics(std::string Name, llvm::ArrayRef<Module> Modules);
  void merged(const Program &P);
  void solved(const Program &P, const Solution &S);
  void judged(const Report &R);
  void explain(const Program &P, const Solution &S) { Why = findCauses(P, S); }
  void print(llvm::json::OStream &J) const;

private:
  struct Size {
    size_t Functions = 0, Constraints = 0, Values = 0, Objects = 0, Calls = 0, Sites = 0;
  };
  std::string Name;
  std::vector<std::string> Modules; ///< their source files
  size_t Copies = 0;
  Size Before, After; ///< After: with the copies made for contexts
  Counters Solver;
  bool Finished = false;
  std::optional<Report> Judged;
  std::vector<CauseCount> Reasons;
  std::optional<Causes> Why;

  static Size sizeOf(const Program &P);
  static void print(llvm::json::OStream &J, llvm::StringRef Key, const Size &S);
};

class Statistics {
public:
  Stages Reading;

  ProgramStatistics &begin(std::string Name, llvm::ArrayRef<Module> Modules) {
    return Programs.emplace_back(std::move(Name), Modules);
  }
  /// Nothing if it was not asked for.
  llvm::Error write(const AnalyzeOptions &O) const;

private:
  std::deque<ProgramStatistics> Programs;
};

} // namespace freehold
