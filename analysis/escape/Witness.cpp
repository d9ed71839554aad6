// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Witness.cpp - the search of Witness.h; its telling in words is in WitnessText.cpp.

#include "Reasons.h"
#include "escape/WitnessSearch.h"

using namespace llvm;

namespace freehold {

/// States one witness may visit before the chain of objects has to do.
static constexpr size_t StatesPerWitness = 60000;

void WitnessFinder::Search::push(Index Object, Index Node, bool Memory, uint32_t Prev, Edge How, Index Which, Index Callee) {
  if (Node == None)
    return;
  // A value must be able to hold the address, memory must be able to contain it: else no such flow exists in the solution.
  if (Memory ? !W.S.holds(Node, Object) : !pointsTo(W.S, Node, Object))
    return;
  uint64_t Key = (uint64_t(Object) << 33) ^ (uint64_t(Node) << 1) ^ uint64_t(Memory);
  if (Seen.insert(Key).second)
    States.push_back({Object, Node, Memory, Prev, How, Which, Callee});
}

/// Where an object's address begins: the call that made the block, or the constraints that take a variable's address.
void WitnessFinder::Search::origins(Index Object, uint32_t Prev, Edge How) {
  const AbstractObject &A = W.S.Objects[Object];
  if (A.K == AbstractObject::Heap && A.Source != None) {
    const Call &Site = W.P.Calls[A.Source];
    push(Object, Site.Result, false, Prev, How, A.Source);
    for (const CallArg &Arg : Site.Args)
      if (Arg.Value != None)
        for (Index To : pointees(W.S, Arg.Value))
          push(Object, To, true, Prev, Edge::StoredByCall, A.Source);
    return;
  }
  if (A.K != AbstractObject::Heap && A.K != AbstractObject::Private)
    for (Use U : W.F.Origins[A.Source])
      push(Object, W.P.Constraints[U.Which].Dst, false, Prev, How, U.Which);
}

void WitnessFinder::Search::expandValue(uint32_t I) {
  const State At = States[I];
  for (Use U : W.F.BySource[At.Node]) {
    const Constraint &C = W.P.Constraints[U.Which];
    if (C.Kind == ConstraintKind::Copy || C.Kind == ConstraintKind::Displace)
      push(At.Object, C.Dst, false, I, Edge::Move, U.Which);
    else if (C.Kind == ConstraintKind::Store)
      for (Index To : pointees(W.S, C.Dst))
        push(At.Object, To, true, I, Edge::Stored, U.Which);
  }
  for (Use U : W.F.Arguments[At.Node])
    expandArgument(I, U);
  if (Index Fn = W.F.ResultOf[At.Node]; Fn != None)
    for (Use U : W.F.Callers[Fn])
      push(At.Object, W.P.Calls[U.Which].Result, false, I, Edge::Returned, U.Which, Fn);
}

void WitnessFinder::Search::expandArgument(uint32_t I, Use U) {
  const State At = States[I];
  for (Index Original : W.S.Callees[U.Which]) {
    Index Callee = W.P.calleeIn(U.Which, Original);
    const Function &Fn = W.P.Functions[Callee];
    push(At.Object, U.Arg < Fn.Params.size() ? Fn.Params[U.Arg] : Fn.Varargs, false, I, Edge::Passed, U.Which, Callee);
  }
  for (const Model *Known : W.F.Modelled[U.Which])
    for (const Effect &E : Known->Effects)
      applyEffect(I, U, E);
}

/// What a library function does with the address it is given as argument U.Arg.
void WitnessFinder::Search::applyEffect(uint32_t I, Use U, const Effect &E) {
  const Index Object = States[I].Object;
  const Call &C = W.P.Calls[U.Which];
  auto IsIt = [&](const Operand &O) { return O.K == Operand::Arg && !O.Deref && O.N == U.Arg; };
  auto Value = [&](const Operand &O) { return O.K == Operand::Arg && O.N < C.Args.size() ? C.Args[O.N].Value : None; };
  if ((E.Kind == EffectKind::Returns && IsIt(E.A)) || (E.Kind == EffectKind::Realloc && (IsIt(E.A) || IsIt(E.B))))
    push(Object, C.Result, false, I, Edge::ThroughCall, U.Which);
  if (E.Kind == EffectKind::Stores && IsIt(E.A) && Value(E.B) != None)
    for (Index To : pointees(W.S, Value(E.B)))
      push(Object, To, true, I, Edge::StoredByCall, U.Which);
  if (E.Kind != EffectKind::Calls || Value(E.A) == None)
    return;
  for (unsigned N = 0; N < E.Args.size(); ++N)
    if (IsIt(E.Args[N]))
      for (Index To : pointees(W.S, Value(E.A)))
        passToCallback(I, U.Which, To, N);
}

void WitnessFinder::Search::passToCallback(uint32_t I, Index Call, Index Function, unsigned Param) {
  const AbstractObject &O = W.S.Objects[Function];
  Index Symbol = O.K == AbstractObject::Function ? W.P.Objects[O.Source].Symbol : None;
  if (Symbol == None)
    return;
  for (Index Fn : W.P.Definitions[Symbol])
    if (Param < W.P.Functions[Fn].Params.size())
      push(States[I].Object, W.P.Functions[Fn].Params[Param], false, I, Edge::Passed, Call, Fn);
}

void WitnessFinder::Search::expandMemory(uint32_t I) {
  const State At = States[I];
  for (Use U : W.F.Reads[At.Node]) {
    const Constraint &C = W.P.Constraints[U.Which];
    if (C.Kind == ConstraintKind::Load)
      push(At.Object, C.Dst, false, I, Edge::Read, U.Which);
    else if (C.Kind == ConstraintKind::CopyMemory)
      for (Index To : pointees(W.S, C.Dst))
        push(At.Object, To, true, I, Edge::MemoryCopied, U.Which);
  }
  for (Use U : W.F.LibraryReads[At.Node]) {
    const Call &C = W.P.Calls[U.Which];
    push(At.Object, C.Result, false, I, Edge::ThroughCall, U.Which);
    for (const Model *Known : W.F.Modelled[U.Which])
      for (const Effect &E : Known->Effects)
        if (E.Kind == EffectKind::Copies && E.B.K == Operand::Arg && E.B.N < C.Args.size() && C.Args[E.B.N].Value != None)
          for (Index To : pointees(W.S, C.Args[E.B.N].Value))
            push(At.Object, To, true, I, Edge::StoredByCall, U.Which);
  }
  // From now on it is enough that somebody comes to the object it lies in.
  if (W.R.Of[At.Node] >= Want)
    origins(At.Node, I, Edge::Follow);
}

/// Does the path end here, at a root of the grade that is looked for?
WitnessFinder::Ending WitnessFinder::Search::ending(const State &At) const {
  auto Fits = [&](ReasonCode Code) { return isStrong(Code) == (Want == Grade::Strong); };
  if (At.Memory) {
    if (Want == Grade::Strong && isGlobalRoot(W.P, W.S, At.Node))
      return {End::Global, At.Node, 101};
    if (Fits(201) && W.S.Objects[At.Object].Escaped)
      for (Use U : W.F.Reads[At.Node])
        if (W.P.Constraints[U.Which].Kind == ConstraintKind::NarrowLoad)
          return {End::Narrow, U.Which, 201};
    return {};
  }
  for (Use U : W.F.Roots[At.Node])
    if (Fits(W.S.Roots[U.Which].Code))
      return {End::ThreadRoot, U.Which, W.S.Roots[U.Which].Code};
  const AbstractObject &O = W.S.Objects[At.Object];
  if (!O.Escaped)
    return {};
  for (Use U : W.F.BySource[At.Node]) {
    const Constraint &C = W.P.Constraints[U.Which];
    if (C.Kind == ConstraintKind::Escape && Fits(C.Code))
      return {End::Escape, U.Which, C.Code};
    if (C.Kind == ConstraintKind::Store && W.S.isExternal(C.Dst) && Fits(O.EscapeCode))
      return {End::EscapeStore, U.Which, O.EscapeCode};
  }
  if (!Fits(O.EscapeCode))
    return {};
  auto Same = [&](const SourceLoc &L) {
    return L.File == O.EscapeLoc.File && L.Line == O.EscapeLoc.Line && L.Column == O.EscapeLoc.Column;
  };
  for (Use U : W.F.Arguments[At.Node])
    if (Same(W.P.Calls[U.Which].Loc))
      return {End::EscapeCall, U.Which, O.EscapeCode};
  if (Index Fn = W.F.ResultOf[At.Node]; Fn != None && W.P.SymbolVisible[W.P.Functions[Fn].Symbol])
    return {End::Exported, Fn, O.EscapeCode};
  return {};
}

std::optional<Reason> WitnessFinder::search(Index Call, Index Object, Grade Want) {
  Search Q{*this, Want, {}, {}};
  Q.origins(Object, UINT32_MAX, Edge::Start);
  for (uint32_t I = 0; I < Q.States.size(); ++I) {
    if (Q.States.size() > StatesPerWitness || Budget == 0)
      return std::nullopt;
    --Budget;
    Ending E = Q.ending(Q.States[I]);
    if (E.Kind != End::NoEnd)
      return Reason{reasonName(E.Code), reasonText(Q.States[I], E), tell(Q, I, E, Call)};
    if (Q.States[I].Memory)
      Q.expandMemory(I);
    else
      Q.expandValue(I);
  }
  return std::nullopt;
}

Reason WitnessFinder::find(Index Call) {
  Index Object = S.HeapObject[Call];
  if (std::optional<Reason> Found = search(Call, Object, R.Of[Object]))
    return std::move(*Found);
  return byObjects(Call, Object);
}

/// The chain of objects from the block to the root, without the instructions between.
Reason WitnessFinder::byObjects(Index Call, Index Object) {
  Reason Why;
  Step Last = step(P.Calls[Call].Loc, "", nullptr);
  auto Add = [&](const SourceLoc &L, std::string What) {
    Why.Path.push_back(step(L, std::move(What), &Last));
    Last = Why.Path.back();
  };
  Index At = Object;
  for (; R.From[At] != None; At = R.From[At])
    Add({}, (At == Object ? "the block" : N.object(At)) + " is held by " + N.object(R.From[At]));
  const RootCause &Cause = R.Cause[At];
  Why.Code = reasonName(Cause.Code);
  const ReasonInfo *Info = findReason(Cause.Code);
  Why.Text = Cause.Text.empty() ? (Info ? Info->Meaning : "not understood") : Cause.Text;
  std::string Subject = At == Object ? "the block" : N.object(At);
  if (Cause.Code == 101) {
    Why.Text = "reachable from " + Subject;
    Add({}, "any thread may reach " + Subject);
  } else
    Add(Cause.Loc, Subject + " is " + Why.Text);
  return Why;
}

} // namespace freehold
