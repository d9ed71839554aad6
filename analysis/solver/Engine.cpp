// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine.cpp - see Engine.h.
#include "solver/Engine.h"
#include "solver/Inclusion.h"
#include "solver/Unification.h"

namespace freehold {

static std::unique_ptr<Domain> makeDomain(const Program &P, const SolverOptions &O, const SolverIds &Ids, CallRules &Told) {
  if (O.Unify)
    return std::make_unique<Unification>(P, O, Ids.FirstFreeValue, Ids.NumObjects, Told);
  return std::make_unique<Inclusion>(P, O, Ids.FirstFreeValue, Ids.NumObjects, Told);
}

Engine::Engine(const Program &P, const Models &M, const SolverOptions &Options)
    : P(P), O(Options), Ids(P), Sites(P, M, O, Ids, *this, S), D(makeDomain(P, O, Ids, Sites)), Decided(P.Constraints.size()) {
  Sites.attach(*D);
  S.Active.assign(P.Functions.size(), false);
  S.Objects = abstractObjects(P, Ids);
}

void Engine::constrain(const Constraint &C, Index Id, llvm::StringRef By, const NodeName &Name) {
  switch (C.Kind) {
  case ConstraintKind::AddressOf:
    return D->point(C.Dst, C.Src, displace(exactOffset(0), C.Disp));
  case ConstraintKind::Copy:
    return D->flow(C.Src, C.Dst);
  case ConstraintKind::Displace:
    return D->flow(C.Src, C.Dst, C.Disp);
  case ConstraintKind::Indexed:
    return D->index(C.Src, C.Dst);
  case ConstraintKind::Load:
    return D->load(C.Src, C.Dst, C.Width);
  case ConstraintKind::Store:
    return D->store(C.Dst, C.Src, C.Width, C.Code != 0);
  case ConstraintKind::NarrowLoad: {
    if (O.Stress)
      return;
    ReasonCode Code = C.Code ? C.Code : 201;
    return D->narrowLoad(C.Src, C.Width, D->cause(Code, C.Loc, causeText(Code, By)));
  }
  case ConstraintKind::UntrackedStore:
    return D->untrackedStore(C.Dst, C.Width, C.Code != 0);
  case ConstraintKind::CopyMemory: {
    Index Copy = D->copy(C.Dst, C.Src, C.Width, C.Loc, Name, Id);
    if (Id != None)
      CopyOf[Id] = Copy;
    return;
  }
  case ConstraintKind::External:
    return D->setExternal(C.Dst);
  case ConstraintKind::Escape:
    return D->escapePointees(C.Src, D->cause(C.Code, C.Loc, causeText(C.Code, By)));
  case ConstraintKind::Difference:
    return; // decided in rounds
  }
}

void Engine::start() {
  D->point(Ids.KeyPointer, Ids.KeyCell, exactOffset(0));
  D->point(Ids.PrivatePointer, Ids.PrivateMemory, exactOffset(0));
  for (Index I : P.GlobalConstraints)
    constrain(P.Constraints[I], I, "", {});
  Sites.start();
}

void Engine::propagate() {
  while (!D->isOver() && (Sites.step() || D->step()))
    ;
}

/// One round at a fixpoint: everything is decided on the same sets, then all decisions are put into force.
bool Engine::decide() {
  struct Open {
    Index Id;
    bool EmptySource, EmptyTarget;
  };
  std::vector<Open> Constraints;
  const std::vector<bool> Active = Sites.activeFunctions();
  for (auto [I, F] : Sites.activeConstraints()) {
    const Constraint &C = P.Constraints[I];
    if (Decided[I] || !Active[F] || O.Stress)
      continue;
    if (C.Kind == ConstraintKind::Difference) {
      if (!D->mayAlias(C.Dst, C.Src))
        Constraints.push_back({I, false, false});
      continue;
    }
    bool Source = C.Kind != ConstraintKind::Store && D->isEmpty(C.Src);
    bool Target = C.Kind != ConstraintKind::Load && D->isEmpty(C.Dst);
    if (Source || Target)
      Constraints.push_back({I, Source, Target});
  }
  std::vector<Index> Calls = Sites.emptySites(Active);
  for (const Open &Now : Constraints)
    decideConstraint(Now.Id, Now.EmptySource, Now.EmptyTarget);
  for (Index I : Calls) {
    NodeName Name;
    Name.Path = Sites.sitePath(I);
    S.Log.push_back({Decision::EmptyCall, Name, None, {}, {}});
    Sites.callNothing(I);
  }
  return !Constraints.empty() || !Calls.empty();
}

void Engine::decideConstraint(Index Id, bool EmptySource, bool EmptyTarget) {
  const Constraint &C = P.Constraints[Id];
  Decided[Id] = true;
  auto Log = [&](Decision::Kind K) { S.Log.push_back({K, {}, Id, {}, {}}); };
  if (C.Kind == ConstraintKind::Difference) {
    Log(Decision::Difference);
    Index Why = D->cause(201, C.Loc, causeText(201, ""));
    D->escapePointees(C.Dst, Why);
    return D->escapePointees(C.Src, Why);
  }
  if (EmptySource)
    Log(Decision::EmptySource);
  if (EmptyTarget)
    Log(Decision::EmptyTarget);
  if (C.Kind == ConstraintKind::Load)
    D->setExternal(C.Dst);
  else if (C.Kind == ConstraintKind::Store)
    D->escapePointees(C.Src, D->cause(204, C.Loc, causeText(204, "")));
  else
    D->copyUnknown(CopyOf[Id], EmptySource, EmptyTarget);
  Sites.note(204, "memory reached through a pointer that points to nothing known", C.Loc);
}

void Engine::extract() {
  for (Index Object = 0; Object < Ids.NumObjects; ++Object) {
    if (!D->escaped(Object))
      continue;
    const Cause &Why = D->cause(D->escapeCause(Object));
    S.Objects[Object].Escaped = true;
    S.Objects[Object].EscapeCode = Why.Code;
    S.Objects[Object].EscapeLoc = Why.Loc;
    S.Objects[Object].EscapeText = Why.Text;
  }
  D->extract(S, P.ValueNames.size());
  Sites.extract();
}

Solution Engine::run() {
  start();
  do {
    ++S.Stats.Rounds;
    propagate();
    S.Finished = !D->isOver();
  } while (S.Finished && decide());
  if (!S.Finished)
    return std::move(S);
  D->log(S.Log, [&](Index Temporary) { return Sites.temporary(Temporary); });
  extract();
  finishSolution(P, S);
  return std::move(S);
}

Solution solve(const Program &P, const Models &M, const SolverOptions &O) { return Engine(P, M, O).run(); }

} // namespace freehold
