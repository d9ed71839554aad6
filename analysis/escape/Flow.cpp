// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flow.cpp - see Flow.h. Cost: one pass over the constraints and calls, plus the pointees of every pointer that is read through.

#include "escape/Flow.h"
#include <algorithm>

using namespace llvm;

namespace freehold {

const Offsets *pointsTo(const Solution &S, Index V, Index O) {
  if (V == None)
    return nullptr;
  return S.pointsTo(V).where(O);
}

SmallVector<Index, 8> pointees(const Solution &S, Index V) {
  SmallVector<Index, 8> Objects(S.pointedTo(V));
  for (const Target &T : S.pointsTo(V).known())
    if (Objects.empty() || Objects.back() != T.Object)
      Objects.push_back(T.Object);
  return Objects;
}

namespace {

/// Collects (row, use) pairs and sorts them into rows, keeping the order of arrival within a row.
class RowBuilder {
public:
  void add(Index Row, Use U) { Pairs.push_back({Row, U}); }
  Flow::Rows take(size_t Count) {
    Flow::Rows R;
    R.Begin.assign(Count + 1, 0);
    for (const auto &P : Pairs)
      ++R.Begin[P.first + 1];
    for (size_t I = 0; I < Count; ++I)
      R.Begin[I + 1] += R.Begin[I];
    R.Items.resize(Pairs.size());
    std::vector<uint32_t> At(R.Begin.begin(), R.Begin.end() - 1);
    for (const auto &P : Pairs)
      R.Items[At[P.first]++] = P.second;
    return R;
  }

private:
  std::vector<std::pair<Index, Use>> Pairs;
};

template <typename Do> void eachObject(const Solution &S, Index V, Do Action) {
  for (Index O : pointees(S, V))
    Action(O);
}

/// The argument whose memory an effect takes words out of, or null.
const CallArg *takesWords(const Effect &E, const Call &C) {
  bool Takes = (E.Kind == EffectKind::Copies || E.Kind == EffectKind::Returns) && E.A.K == Operand::Arg && E.A.Deref;
  return Takes && E.A.N < C.Args.size() && C.Args[E.A.N].Value != None ? &C.Args[E.A.N] : nullptr;
}

} // namespace

void Flow::findModels(const Program &P, const Solution &S, const Models *M, Index C) {
  const Call &Site = P.Calls[C];
  if (!M || Site.NoBuiltin)
    return;
  for (Index Symbol : S.ExternalCallees[C])
    if (const Model *Known = M->find(P.str(P.Symbols[Symbol].Name), Site.Args.size()))
      Modelled[C].push_back(Known);
}

Flow::Flow(const Program &P, const Solution &S, const Models *M) {
  RowBuilder Sources, Args, Readers, Addresses, Calling, Rooted, Library;
  Modelled.resize(P.Calls.size());
  auto Constrain = [&](Index C) {
    const Constraint &Con = P.Constraints[C];
    switch (Con.Kind) {
    case ConstraintKind::AddressOf:
      Addresses.add(Con.Src, {C, 0});
      return;
    case ConstraintKind::External:
    case ConstraintKind::UntrackedStore:
      return;
    case ConstraintKind::Load:
    case ConstraintKind::NarrowLoad:
    case ConstraintKind::CopyMemory: {
      eachObject(S, Con.Src, [&](Index O) { Readers.add(O, {C, 0}); });
      return;
    }
    default:
      if (Con.Src != None)
        Sources.add(Con.Src, {C, 0});
      if (Con.Kind == ConstraintKind::Difference && Con.Dst != None)
        Sources.add(Con.Dst, {C, 0});
    }
  };
  for (Index C : P.GlobalConstraints)
    Constrain(C);
  const size_t Values = std::max(P.ValueNames.size(), S.numValues());
  ResultOf.assign(Values, None);
  for (Index F = 0; F < P.Functions.size(); ++F) {
    const Function &Fn = P.Functions[F];
    if (Fn.Result != None)
      ResultOf[Fn.Result] = F;
    if (!S.Active[F])
      continue;
    for (Index C = Fn.FirstConstraint; C < Fn.LastConstraint; ++C)
      Constrain(C);
    for (Index C = Fn.FirstCall; C < Fn.LastCall; ++C) {
      for (Index A = 0; A < P.Calls[C].Args.size(); ++A)
        if (P.Calls[C].Args[A].Value != None)
          Args.add(P.Calls[C].Args[A].Value, {C, A});
      for (Index Callee : S.Callees[C])
        Calling.add(P.calleeIn(C, Callee), {C, 0});
      findModels(P, S, M, C);
      for (const Model *Known : Modelled[C])
        for (const Effect &E : Known->Effects)
          if (const CallArg *From = takesWords(E, P.Calls[C]))
            eachObject(S, From->Value, [&](Index O) { Library.add(O, {C, 0}); });
    }
  }
  for (Index R = 0; R < S.Roots.size(); ++R)
    if (S.Roots[R].Value != None)
      Rooted.add(S.Roots[R].Value, {R, 0});
  BySource = Sources.take(Values);
  Arguments = Args.take(Values);
  Reads = Readers.take(S.Objects.size());
  Origins = Addresses.take(std::max(P.Objects.size(), S.Objects.size()));
  LibraryReads = Library.take(S.Objects.size());
  Callers = Calling.take(P.Functions.size());
  Roots = Rooted.take(Values);
}

} // namespace freehold
