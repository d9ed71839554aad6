// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis.cpp - see Analysis.h.
#include "escape/Analysis.h"
#include "escape/Escape.h"

using namespace llvm;

namespace freehold {

static constexpr StringLiteral Precisions[] = {"field-sensitive", "field-insensitive", "unification"};

bool isPointsTo(StringRef Name) { return is_contained(Precisions, Name); }

static SolverOptions optionsOf(StringRef PointsTo, const AnalysisOptions &O, size_t Constraints) {
  SolverOptions S;
  S.FieldSensitive = PointsTo == Precisions[0];
  S.Unify = PointsTo == Precisions[2];
  S.WorkLimit = O.WorkLimit.value_or(S.WorkLimit + WorkPerConstraint * Constraints);
  S.Stress = O.Stress;
  return S;
}

static StringRef nameOf(const SolverOptions &S) { return S.Unify ? Precisions[2] : Precisions[S.FieldSensitive ? 0 : 1]; }

Solution solveWithin(Program &P, const Models &M, const AnalysisOptions &O, SolverOptions &Used, std::string &Degraded) {
  for (StringRef PointsTo : ArrayRef(Precisions).drop_until([&](StringRef Name) { return Name == O.PointsTo; })) {
    Used = optionsOf(PointsTo, O, P.Constraints.size());
    // What must end has no limit.
    if (Used.Unify)
      Used.WorkLimit = std::max(Used.WorkLimit, SolverOptions().WorkLimit);
    bool Contexts = true;
    Solution S = solveInContexts(P, M, Used, O.Contexts, &Contexts);
    if (S.Finished && !Contexts)
      Degraded = (PointsTo + " without contexts, since with them it goes over the work limit").str();
    if (S.Finished && PointsTo != O.PointsTo)
      Degraded = (PointsTo + " instead of " + O.PointsTo + ", which goes over the work limit").str();
    if (S.Finished || PointsTo == Precisions[2])
      return S;
  }
  llvm_unreachable("no such points-to analysis");
}

void Analysis::run(ArrayRef<Module> Modules, const Resolution &R, Report &Out) const {
  Program P = mergeModules(Modules, R);
  if (Merged)
    Merged(P);
  SolverOptions Used;
  Solution S = solveWithin(P, M, O, Used, Out.Degraded);
  Out.PointsTo = nameOf(Used).str();
  if (Solved)
    Solved(P, S, Used);
  if (!S.Finished) {
    Out.Aside = "the points-to analysis did not finish within its work limit: nothing is known [FH207]";
    return;
  }
  judgeReachable(P, S, R, O.Base, Out, &M);
  if (Judged)
    Judged(P, S);
}

} // namespace freehold
