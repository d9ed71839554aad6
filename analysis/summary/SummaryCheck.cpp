// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryCheck.cpp - is every index of a Module in range? The checksum tells accidents; this is for whoever forges one.
#include "summary/SummaryIO.h"

namespace freehold {
namespace {

class Checker {
public:
  explicit Checker(const Module &M)
      : M(M), Strings(M.Strings.size()), Values(M.ValueNames.size()), Symbols(M.Symbols.size()), Functions(M.Functions.size()) {}

  std::string run() {
    what("module", 0), within(M.Name, Strings), ordered(M.FirstGlobalConstraint, M.Constraints.size(), M.Constraints.size());
    each("value", M.ValueNames, [&](Index N) { within(N, Strings); });
    each("symbol", M.Symbols, [&](const Symbol &S) {
      within(S.Name, Strings, false), within(S.Object, M.Objects.size()), within(S.Function, Functions),
          within(S.Aliasee, Symbols);
    });
    each("object", M.Objects, [&](const Object &O) {
      within(O.Name, Strings), within(O.Symbol, Symbols, O.Kind == ObjectKind::Stack), within(O.Function, Functions), loc(O.Loc);
    });
    each("constraint", M.Constraints, [&](const Constraint &C) { constraint(C); });
    each("function", M.Functions, [&](const Function &F) { function(F); });
    each("call", M.Calls, [&](const Call &C) { call(C); });
    each("site", M.Sites, [&](const Site &S) {
      within(S.Call, M.Calls.size(), false), within(S.Callee, Strings, false), within(S.Function, Functions, false);
    });
    each("note", M.Notes, [&](const Note &N) { within(N.Text, Strings), loc(N.Loc); });
    return Problem;
  }

private:
  const Module &M;
  size_t Strings, Values, Symbols, Functions;
  const char *Kind = "";
  size_t Number = 0;
  std::string Problem;

  void what(const char *K, size_t N) { Kind = K, Number = N; }
  template <typename T, typename F> void each(const char *K, const std::vector<T> &L, F One) {
    for (size_t I = 0; I < L.size(); ++I)
      what(K, I), One(L[I]);
  }
  void bad() {
    if (Problem.empty())
      Problem = std::string("index out of range in ") + Kind + " " + std::to_string(Number);
  }
  void within(Index I, size_t N, bool MayBeNone = true) {
    if (I == None ? !MayBeNone : I >= N)
      bad();
  }
  void ordered(Index First, Index Last, size_t N) {
    if (First > Last || Last > N)
      bad();
  }
  void loc(const SourceLoc &L) { within(L.File, Strings); }

  void constraint(const Constraint &C) {
    bool NeedsDst = C.Kind != ConstraintKind::Escape && C.Kind != ConstraintKind::NarrowLoad;
    bool NeedsSrc = C.Kind != ConstraintKind::External && C.Kind != ConstraintKind::UntrackedStore;
    within(C.Dst, Values, !NeedsDst);
    within(C.Src, C.Kind == ConstraintKind::AddressOf ? M.Objects.size() : Values, !NeedsSrc);
    loc(C.Loc);
  }
  void function(const Function &F) {
    within(F.Symbol, Symbols, false), within(F.SourceName, Strings), loc(F.Loc);
    within(F.Result, Values), within(F.Varargs, Values);
    for (Index P : F.Params)
      within(P, Values);
    ordered(F.FirstConstraint, F.LastConstraint, M.Constraints.size()), ordered(F.FirstCall, F.LastCall, M.Calls.size());
  }
  void call(const Call &C) {
    within(C.Function, Functions, false), within(C.Symbol, Symbols, C.Callee != None);
    within(C.Callee, Values), within(C.Result, Values), within(C.Site, M.Sites.size()), loc(C.Loc);
    for (const CallArg &A : C.Args)
      within(A.Value, Values), within(A.String, Strings);
  }
};

} // namespace

std::string checkSummary(const Module &M) { return Checker(M).run(); }

} // namespace freehold
