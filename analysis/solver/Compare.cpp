// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compare.cpp - two solvers, one answer.
#include "solver/Solver.h"
#include <algorithm>
#include <tuple>

namespace freehold {

static std::string show(llvm::ArrayRef<Index> V) {
  std::string Out = "{";
  for (Index I : V)
    Out += " " + std::to_string(I);
  return Out + " }";
}

static std::string show(llvm::ArrayRef<Target> V) {
  std::string Out = "{";
  for (const Target &T : V) {
    Out += " " + std::to_string(T.Object) + "@" + std::to_string(T.Where.Base);
    if (T.Where.Stride)
      Out += "%" + std::to_string(T.Where.Stride);
    if (T.Where.High > T.Where.Low)
      Out += "[" + std::to_string(T.Where.Low) + "," + std::to_string(T.Where.High) + ")";
  }
  return Out + " }";
}

std::string compareSolutions(const Program &P, const Solution &A, const Solution &B) {
  auto Differ = [](const std::string &What, Index I, const std::string &X, const std::string &Y) {
    return What + " " + std::to_string(I) + ": " + X + " and " + Y;
  };
  if (!B.Finished)
    return "the log of decisions lacks one";
  if (A.Objects.size() != B.Objects.size() || A.numValues() != B.numValues())
    return "different numbers of objects or values";
  for (Index V = 0; V < A.numValues(); ++V) {
    if (std::string X = show(A.pointsTo(V).known()), Y = show(B.pointsTo(V).known()); X != Y)
      return Differ("pointees of value", V, X, Y);
    if (A.isExternal(V) != B.isExternal(V))
      return Differ("external flag of value", V, std::to_string(A.isExternal(V)), std::to_string(B.isExternal(V)));
  }
  for (Index O = 0; O < A.Objects.size(); ++O) {
    const AbstractObject &X = A.Objects[O], &Y = B.Objects[O];
    if (std::tie(X.K, X.Source, X.LibraryMade, X.Escaped) != std::tie(Y.K, Y.Source, Y.LibraryMade, Y.Escaped))
      return Differ("object", O, X.Escaped ? "escaped" : "not escaped", Y.Escaped ? "escaped" : "not escaped");
    if (std::string X = show(A.knownContents(O)), Y = show(B.knownContents(O)); X != Y)
      return Differ("contents of object", O, X, Y);
    if (A.holdsExternal(O) != B.holdsExternal(O))
      return Differ("external contents of object", O, std::to_string(A.holdsExternal(O)), std::to_string(B.holdsExternal(O)));
  }
  for (Index C = 0; C < P.Calls.size(); ++C) {
    if (A.Callees[C] != B.Callees[C])
      return Differ("callees of call", C, show(A.Callees[C]), show(B.Callees[C]));
    if (A.ExternalCallees[C] != B.ExternalCallees[C])
      return Differ("external callees of call", C, show(A.ExternalCallees[C]), show(B.ExternalCallees[C]));
    if (A.CallsEscaped[C] != B.CallsEscaped[C])
      return Differ("external callee of call", C, std::to_string(A.CallsEscaped[C]), std::to_string(B.CallsEscaped[C]));
    if (A.HeapObject[C] != B.HeapObject[C])
      return Differ("heap object of call", C, std::to_string(A.HeapObject[C]), std::to_string(B.HeapObject[C]));
  }
  for (Index F = 0; F < P.Functions.size(); ++F)
    if (A.Active[F] != B.Active[F])
      return Differ("activity of function", F, std::to_string(A.Active[F]), std::to_string(B.Active[F]));
  if (A.Roots.size() != B.Roots.size())
    return "different numbers of thread roots";
  for (Index R = 0; R < A.Roots.size(); ++R)
    if (std::tie(A.Roots[R].Value, A.Roots[R].Code, A.Roots[R].Call) !=
        std::tie(B.Roots[R].Value, B.Roots[R].Code, B.Roots[R].Call))
      return Differ("thread root", R, std::to_string(A.Roots[R].Value), std::to_string(B.Roots[R].Value));
  return "";
}

Solution solveChecked(const Program &P, const Models &M, const SolverOptions &O, std::string &Error) {
  Solution S = solve(P, M, O);
  Error.clear();
  if (!S.Finished)
    return S;
  bool ByItself = std::all_of(S.Log.begin(), S.Log.end(), [](const Decision &D) { return D.inRounds(); });
  Error = compareSolutions(P, S, solveNaive(P, M, O, ByItself ? nullptr : &S.Log));
  return S;
}

} // namespace freehold
