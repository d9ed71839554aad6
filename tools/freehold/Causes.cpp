// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causes.cpp - a breadth-first search from the sources of externality over the constraints, forward.
//
// Vertices are values and, behind them, objects that have not escaped but hold something external. Sources are External
// constraints, escaped objects, untracked bits and calls of what has no model. What a modelled library function returns counts as
// a source only where no argument explains it. The points-to set of an external value is never looked at: its pointees explain
// nothing.

#include "Causes.h"
#include "Reasons.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <map>

using namespace llvm;

namespace freehold {
namespace {

class Search {
public:
  Search(const Program &P, const Solution &S) : P(P), S(S), Values(P.ValueNames.size()) {}
  Causes run();

private:
  using Key = std::pair<ReasonCode, std::string>;
  const Program &P;
  const Solution &S;
  Index Values;                          ///< vertices below are values, from here on objects
  std::vector<std::vector<Index>> Edges; ///< per vertex
  std::vector<Index> CauseOf;            ///< per vertex, in Keys
  std::vector<Key> Keys;
  std::map<Key, Index> KeyIds;
  std::deque<Index> Queue;

  bool external(Index V) const { return V != None && S.isExternal(V); }
  bool isEmpty(Index V) const { return S.pointsTo(V).isEmpty(); }
  bool active(Index F) const { return S.Active[F]; }
  Index cause(ReasonCode Code, std::string Text);
  void seed(Index Vertex, Index Cause);
  void edge(Index From, Index To) { Edges[From].push_back(To); }
  template <typename Fn> void pointees(Index Value, Fn Do) const {
    if (!external(Value))
      for (const Target &T : S.pointsTo(Value).known())
        Do(Values + T.Object);
  }
  void constraint(const Constraint &C);
  void call(Index Id, const StringSet<> &Unmodelled);
  void escaped();
  void spread();
  void untrackedBits(const Constraint &C);
  void librarySources();
  template <typename Fn> void activeConstraints(Fn Do) const;
  std::vector<CauseCount> counts(const std::map<Index, uint64_t> &By) const;
};

Index Search::cause(ReasonCode Code, std::string Text) {
  auto [It, New] = KeyIds.try_emplace({Code, std::move(Text)}, Keys.size());
  if (New)
    Keys.push_back(It->first);
  return It->second;
}

void Search::seed(Index Vertex, Index Cause) {
  if (CauseOf[Vertex] != None || (Vertex < Values && !S.isExternal(Vertex)))
    return;
  CauseOf[Vertex] = Cause;
  Queue.push_back(Vertex);
}

std::string meaning(ReasonCode Code) {
  const ReasonInfo *Info = findReason(Code);
  return Info ? Info->Meaning : "";
}

void Search::constraint(const Constraint &C) {
  switch (C.Kind) {
  case ConstraintKind::External:
    return seed(C.Dst, cause(C.Code, C.Code ? meaning(C.Code) : "made of bits that are not tracked"));
  case ConstraintKind::Copy:
  case ConstraintKind::Displace:
  case ConstraintKind::Indexed:
    return edge(C.Src, C.Dst);
  case ConstraintKind::Load:
    edge(C.Src, C.Dst);
    if (isEmpty(C.Src))
      seed(C.Dst, cause(204, "read through a pointer that points to nothing"));
    return pointees(C.Src, [&](Index Object) { edge(Object, C.Dst); });
  case ConstraintKind::Store:
    if (external(C.Src))
      pointees(C.Dst, [&](Index Object) { edge(C.Src, Object); });
    return;
  case ConstraintKind::CopyMemory:
    return pointees(C.Dst, [&](Index To) {
      edge(C.Src, To);
      pointees(C.Src, [&](Index From) { edge(From, To); });
    });
  case ConstraintKind::AddressOf:
  case ConstraintKind::UntrackedStore: // untrackedBits
  case ConstraintKind::NarrowLoad:
  case ConstraintKind::Escape:
  case ConstraintKind::Difference:
    return;
  }
}

void Search::call(Index Id, const StringSet<> &Unmodelled) {
  const Call &C = P.Calls[Id];
  if (!active(C.Function))
    return;
  for (Index F : S.Callees[Id]) {
    const Function &Callee = P.Functions[F];
    for (size_t I = 0; I < C.Args.size(); ++I) {
      Index To = I < Callee.Params.size() ? Callee.Params[I] : Callee.Varargs;
      if (C.Args[I].Value != None && To != None)
        edge(C.Args[I].Value, To);
    }
    if (C.Result != None && Callee.Result != None)
      edge(Callee.Result, C.Result);
  }
  if (C.Callee != None && C.Result != None) {
    edge(C.Callee, C.Result);
    if (isEmpty(C.Callee))
      seed(C.Result, cause(204, "returned by a call through a pointer that points to nothing"));
  }
  for (Index Symbol : S.ExternalCallees[Id]) {
    std::string Name = P.str(P.Symbols[Symbol].Name);
    if (C.Result != None && Unmodelled.contains(Name))
      seed(C.Result, cause(301, Name + " has no model"));
    for (const CallArg &A : C.Args)
      if (A.Value != None && C.Result != None)
        edge(A.Value, C.Result);
  }
}

/// Escaped objects, and the parameters of functions that the outside may call.
void Search::escaped() {
  for (Index O = 0; O < S.Objects.size(); ++O)
    if (S.Objects[O].Escaped)
      seed(Values + O, cause(S.Objects[O].EscapeCode, S.Objects[O].EscapeText));
  for (Index F = 0; F < P.Functions.size(); ++F) {
    const Function &Fn = P.Functions[F];
    if (!active(F) || Fn.Symbol == None)
      continue;
    const Symbol &Sym = P.Symbols[Fn.Symbol];
    bool Escaped = Sym.Object != None && S.Objects[Sym.Object].Escaped;
    bool Visible = Fn.Symbol < P.SymbolVisible.size() && P.SymbolVisible[Fn.Symbol];
    for (Index V : Fn.Params)
      if (V != None && (Escaped || Visible))
        seed(V, Escaped ? cause(S.Objects[Sym.Object].EscapeCode, S.Objects[Sym.Object].EscapeText)
                        : cause(0, P.str(Sym.Name) + " is called from outside"));
  }
}

void Search::spread() {
  while (!Queue.empty()) {
    Index From = Queue.front();
    Queue.pop_front();
    for (Index To : Edges[From])
      seed(To, CauseOf[From]);
  }
}

/// Only after all others: nearly every struct has a field that is not tracked, and which bytes are read is not asked here.
void Search::untrackedBits(const Constraint &C) {
  if (C.Kind == ConstraintKind::UntrackedStore && !C.Code)
    pointees(C.Dst, [&](Index Object) { seed(Object, cause(201, "read where bits were written that are not tracked")); });
}

template <typename Fn> void Search::activeConstraints(Fn Do) const {
  for (Index I : P.GlobalConstraints)
    Do(P.Constraints[I]);
  for (Index F = 0; F < P.Functions.size(); ++F)
    for (Index I = P.Functions[F].FirstConstraint; active(F) && I < P.Functions[F].LastConstraint; ++I)
      Do(P.Constraints[I]);
}

/// What is left over and comes from a library function, by its name; then what it hands to functions of the program.
void Search::librarySources() {
  for (Index Id = 0; Id < P.Calls.size(); ++Id) {
    const Call &C = P.Calls[Id];
    if (!active(C.Function) || !external(C.Result) || CauseOf[C.Result] != None || S.ExternalCallees[Id].empty())
      continue;
    seed(C.Result, cause(0, "returned by " + P.str(P.Symbols[S.ExternalCallees[Id].front()].Name)));
  }
  spread();
  for (Index F = 0; F < P.Functions.size(); ++F)
    if (active(F) && P.Functions[F].Symbol != None)
      for (Index V : P.Functions[F].Params)
        if (external(V) && CauseOf[V] == None)
          seed(V, cause(0, "given to " + P.str(P.Symbols[P.Functions[F].Symbol].Name) + " by a library or at its start"));
  spread();
}

std::vector<CauseCount> Search::counts(const std::map<Index, uint64_t> &By) const {
  std::vector<CauseCount> Out;
  for (auto [Id, Count] : By)
    Out.push_back(Id == None ? CauseCount{0, "not told apart", Count} : CauseCount{Keys[Id].first, Keys[Id].second, Count});
  sort(Out, [](const CauseCount &A, const CauseCount &B) {
    return std::tie(B.Count, A.Code, A.Text) < std::tie(A.Count, B.Code, B.Text);
  });
  return Out;
}

Causes Search::run() {
  Edges.resize(Values + S.Objects.size());
  CauseOf.assign(Edges.size(), None);
  StringSet<> Unmodelled; // "`name` has no model"
  for (const Note &N : S.Notes)
    if (N.Code == 301 || N.Code == 306)
      Unmodelled.insert(StringRef(S.NoteTexts[N.Text]).split('`').second.split('`').first);
  activeConstraints([&](const Constraint &C) { constraint(C); });
  for (Index Id = 0; Id < P.Calls.size(); ++Id)
    call(Id, Unmodelled);
  escaped();
  spread();
  activeConstraints([&](const Constraint &C) { untrackedBits(C); });
  spread();
  librarySources();
  Causes Out;
  std::map<Index, uint64_t> OfValues, OfObjects;
  Out.Values = Values;
  for (Index V = 0; V < Values; ++V)
    if (S.isExternal(V))
      ++Out.External, ++OfValues[CauseOf[V]];
  for (const AbstractObject &O : S.Objects) {
    Out.Objects += O.K != AbstractObject::Heap || (O.Source != None && S.HeapObject[O.Source] != None);
    if (O.Escaped)
      ++Out.Escaped, ++OfObjects[cause(O.EscapeCode, O.EscapeText)];
  }
  Out.OfValues = counts(OfValues);
  Out.OfObjects = counts(OfObjects);
  return Out;
}

} // namespace

Causes findCauses(const Program &P, const Solution &S) { return Search(P, S).run(); }

} // namespace freehold
