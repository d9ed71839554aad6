// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis.h - modules in, solution and verdicts out: what a link and `freehold analyze` do alike.
//
// A program whose solution goes over the work limit is solved again, coarser: without fields, then by unification, which is almost
// linear. The coarser solution is as sound, over the same constraints and models. The report says in its settings by what it was
// solved, and in one line why. Only a program that even unification does not end on has no verdicts.
#pragma once

#include "Report.h"
#include "solver/Contexts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace freehold {

struct AnalysisOptions {
  std::string PointsTo = "field-sensitive"; ///< or field-insensitive, unification
  ContextOptions Contexts;
  std::optional<uint64_t> WorkLimit; ///< default: SolverOptions' and WorkPerConstraint in proportion to the program
  bool Stress = false;
  std::string Base; ///< of judgeReachable
};

/// A C++ program of 314,000 constraints (cppcheck) needs 300 of each; most programs need less than 10.
constexpr uint64_t WorkPerConstraint = 500;

/// A name that AnalysisOptions::PointsTo may have.
bool isPointsTo(llvm::StringRef Name);

struct Analysis {
  const Models &M;
  AnalysisOptions O;
  // May be empty. Called between the stages.
  llvm::function_ref<void(const Program &)> Merged;
  llvm::function_ref<void(const Program &, const Solution &, const SolverOptions &)> Solved;
  llvm::function_ref<void(const Program &, const Solution &)> Judged;

  /// Fills all of Out that comes of the analysis; Out.Aside if there is no solution.
  void run(llvm::ArrayRef<Module> Modules, const Resolution &R, Report &Out) const;
};

/// The options with which P is solved in the end, and the solution; Degraded says why they are not what O asked for.
Solution solveWithin(Program &P, const Models &M, const AnalysisOptions &O, SolverOptions &Used, std::string &Degraded);

} // namespace freehold
