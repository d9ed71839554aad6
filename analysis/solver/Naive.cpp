// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Naive.cpp - the rules of Solver.h, one function a rule, applied in a loop until nothing changes. No graph, no worklist, no
// deltas: slow and plain on purpose. It shares with the engine only the data model, the offset algebra and the translation of
// models. Given the engine's log, it takes the decisions as axioms.
#include "solver/Effects.h"
#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace freehold {
namespace {

/// What a value, or a piece of memory, holds.
struct Cell {
  std::map<Index, OffsetSet> Pointees;
  bool External = false;
  bool Absorbed = false; ///< the address of an escaped object was in it
  bool Escapes = false;  ///< its pointees escape
};

struct Memory {
  std::map<Access, Cell> Writes, Reads;
  std::map<std::pair<bool, uint64_t>, Offsets> Class; ///< axioms: (write, width)
  bool Collapsed = false, Escaped = false;
};

/// A constraint that is in force.
struct Rule {
  Rule(const Constraint &C, Index Id, NodeName Name) : C(C), Id(Id), Name(std::move(Name)) {}
  Constraint C;
  Index Id;              ///< in the Program; None: made by a model
  Index Function = None; ///< None: made by a model or always in force
  NodeName Name;
  bool Decided = false, SrcUnknown = false, DstUnknown = false;
  std::map<Index, OffsetSet> Relative; ///< CopyMemory, per object copied from: where in the region its fields begin
};

struct Caller {
  explicit Caller(const CallSite &Call) : Call(Call), Unknown(Call.Depth > MaxCallbackDepth) {}
  CallSite Call;
  Index Parent = None, ParentSymbol = None;
  std::set<Index> Symbols;
  bool Unknown;
};

/// What a caller's library function brought.
struct Made {
  Index Caller, Symbol;
  bool Allocates, LibraryMade;
  std::vector<ThreadRoot> Roots;
};

class Naive {
public:
  Naive(const Program &P, const Models &M, const SolverOptions &O, const DecisionLog *Axioms);
  Solution run();

private:
  const Program &P;
  const Models &M;
  SolverOptions O;
  SolverIds Ids;
  const DecisionLog *Axioms;
  std::vector<Cell> Values;
  std::vector<Memory> Objects;
  std::vector<Rule> Rules;
  std::vector<Caller> Callers;
  std::vector<Made> Library;
  std::vector<bool> Active, EscapedFunctions;
  std::set<NodeName> Saturated; ///< axioms
  std::map<std::tuple<NodeName, Index, Index>, Offsets> CopyClasses;
  std::set<std::vector<Index>> EmptyCalls;
  std::map<Index, std::pair<bool, bool>> EmptyEnds; ///< per constraint
  Solution S;
  bool Changed = false;

  void set(bool &Flag) {
    Changed |= !Flag;
    Flag = true;
  }
  void set(std::vector<bool>::reference Flag) {
    Changed |= !Flag;
    Flag = true;
  }
  void absorb(Cell &C) {
    set(C.External);
    set(C.Absorbed);
  }
  bool isFunction(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Kind == ObjectKind::Function; }
  bool isConstant(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Constant; }
  /// An escaped object is implied in that set.
  bool implied(const Cell &C, Index Object) const { return Objects[Object].Escaped && (C.External || !isFunction(Object)); }
  void point(Cell &To, Index Object, const Offsets &Where) {
    if (implied(To, Object))
      return absorb(To);
    bool Flat = isFunction(Object) || !O.FieldSensitive;
    Changed |= To.Pointees[Object].insert(Flat ? exactOffset(0) : Where);
  }
  void include(Cell &To, const Cell &From, const Displacement &D = {}, bool Externality = true);
  void normalise(Cell &C);
  void saturate(Cell &C);
  Access access(Index Object, const Offsets &Where, uint64_t Width, bool Write) const;
  Cell &write(Index Object, const Offsets &Where, uint64_t Width);
  Cell &read(Index Object, const Offsets &Where, uint64_t Width);
  template <class Do> void forPointees(const Cell &V, Do Each);
  template <class Do> void forMemory(const Cell &V, Do Each);
  void escape(Index Object) { set(Objects[Object].Escaped); }
  bool empty(Index V) const { return Values[V].Pointees.empty() && !Values[V].External; }
  bool mayAlias(Index A, Index B) const;

  void load(Rule &R);
  void store(Rule &R);
  void narrowLoad(Rule &R);
  void untrackedStore(Rule &R);
  void copyMemory(Rule &R);
  void mirror(Rule &R, Index From, const Offsets &Region, const Access &Written);
  void apply(Rule &R);
  void escapedCell(Cell &C);
  void escapedObject(Index Object);
  void escapeFunction(Index F);
  void libraryMemory();
  void unknownCall(Caller &C);
  void bind(CallSite Call, Index F);
  void reach(Index Caller, Index Symbol);
  void call(Index Caller);
  void activate(Index F);
  void assume(const Decision &D);
  void assumeOf(Rule &R);
  void entries();
  void fixpoint();
  bool round();
  bool counts(Index Caller, Index Symbol) const;
  std::vector<bool> activeFunctions() const;
  void extractCalls();
  void extract();
};

Naive::Naive(const Program &P, const Models &M, const SolverOptions &O, const DecisionLog *Axioms)
    : P(P), M(M), O(O), Ids(P), Axioms(Axioms), Values(Ids.FirstFreeValue), Objects(Ids.NumObjects), Active(P.Functions.size()),
      EscapedFunctions(P.Functions.size()) {
  for (Memory &Mem : Objects)
    Mem.Collapsed = !O.FieldSensitive;
  S.HeapObject.assign(P.Calls.size(), None);
  S.Objects = abstractObjects(P, Ids);
  if (Axioms)
    for (const Decision &D : *Axioms)
      assume(D);
}

/// Takes a decision of the engine as given.
void Naive::assume(const Decision &D) {
  switch (D.K) {
  case Decision::Saturated:
    Saturated.insert(D.Node);
    for (Index Object : D.Objects)
      escape(Object);
    if (D.Node.K == NodeName::Value)
      set(Values[D.Node.Id].External);
    else if (D.Node.K == NodeName::Write)
      set(write(D.Node.Id, D.Node.Where.Where, D.Node.Where.Width).External);
    else if (D.Node.K == NodeName::Read)
      set(read(D.Node.Id, D.Node.Where.Where, D.Node.Where.Width).External);
    return;
  case Decision::Widened:
    Objects[D.Node.Id].Class[{D.Node.K == NodeName::Write, D.Node.Where.Width}] = D.Class; // the last one is the widest
    return;
  case Decision::Collapsed:
    Objects[D.Node.Id].Collapsed = true;
    return;
  case Decision::CopyClass:
    CopyClasses[{D.Node, D.Constraint, D.Node.Id}] = D.Class;
    return;
  case Decision::Difference:
    EmptyEnds[D.Constraint] = {true, true};
    return;
  case Decision::EmptySource:
    EmptyEnds[D.Constraint].first = true;
    return;
  case Decision::EmptyTarget:
    EmptyEnds[D.Constraint].second = true;
    return;
  case Decision::EmptyCall:
    EmptyCalls.insert(D.Node.Path);
  }
}

void Naive::include(Cell &To, const Cell &From, const Displacement &D, bool Externality) {
  if (From.External && Externality)
    set(To.External);
  if (From.Absorbed)
    absorb(To);
  forPointees(From, [&](Index Object, const Offsets &Where) { point(To, Object, displace(Where, D)); });
}

template <class Do> void Naive::forPointees(const Cell &V, Do Each) {
  std::vector<Target> All;
  for (const auto &[Object, Set] : V.Pointees)
    for (const Offsets &Where : Set.Pieces)
      All.push_back({Object, Where});
  for (const Target &T : All)
    Each(T.Object, T.Where);
}

/// Places of memory that has not escaped.
template <class Do> void Naive::forMemory(const Cell &V, Do Each) {
  forPointees(V, [&](Index Object, const Offsets &Where) {
    if (!isFunction(Object) && !Objects[Object].Escaped)
      Each(Object, Where);
  });
}

/// Takes what is implied out of a set.
void Naive::normalise(Cell &C) {
  for (auto It = C.Pointees.begin(); It != C.Pointees.end();) {
    if (!implied(C, It->first)) {
      ++It;
      continue;
    }
    It = C.Pointees.erase(It);
    Changed = true;
    C.External = C.Absorbed = true;
  }
}

Access Naive::access(Index Object, const Offsets &Where, uint64_t Width, bool Write) const {
  const Memory &Mem = Objects[Object];
  if (Mem.Collapsed)
    return {anyOffset(), 0};
  auto It = Mem.Class.find({Write, Width});
  return It == Mem.Class.end() ? Access{Where, Width} : Access{It->second, Width};
}

Cell &Naive::write(Index Object, const Offsets &Where, uint64_t Width) {
  auto [It, New] = Objects[Object].Writes.try_emplace(access(Object, Where, Width, true));
  Changed |= New;
  return It->second;
}

/// All writes that may touch bytes of the access.
Cell &Naive::read(Index Object, const Offsets &Where, uint64_t Width) {
  Access A = access(Object, Where, Width, false);
  auto [It, New] = Objects[Object].Reads.try_emplace(A);
  Changed |= New;
  for (auto &[W, C] : Objects[Object].Writes)
    if (mayOverlap(W.Where, W.Width, A.Where, A.Width))
      include(It->second, C);
  return It->second;
}

void Naive::load(Rule &R) {
  Cell &Dst = Values[R.C.Dst];
  const Cell &Src = Values[R.C.Src];
  if (Src.External || R.SrcUnknown)
    set(Dst.External);
  if (Src.Absorbed)
    absorb(Dst);
  forMemory(Src, [&](Index Object, const Offsets &Where) { include(Dst, read(Object, Where, R.C.Width)); });
}

void Naive::store(Rule &R) {
  Cell &Src = Values[R.C.Src];
  const Cell &Dst = Values[R.C.Dst];
  if (Dst.External || R.DstUnknown)
    set(Src.Escapes);
  forMemory(Dst, [&](Index Object, const Offsets &Where) {
    if (R.C.Code || !isConstant(Object))
      include(write(Object, Where, R.C.Width), Src);
  });
}

void Naive::narrowLoad(Rule &R) {
  forMemory(Values[R.C.Src], [&](Index Object, const Offsets &Where) { set(read(Object, Where, R.C.Width).Escapes); });
}

void Naive::untrackedStore(Rule &R) {
  forMemory(Values[R.C.Dst], [&](Index Object, const Offsets &Where) {
    if (isConstant(Object) || (R.C.Code && R.C.Width >= 8)) // whole words of zeroes leave nothing
      return;
    if (R.C.Code == 0)
      set(write(Object, Where, R.C.Width).External);
    if (R.C.Width < 8) { // a part of a word: what it holds moves
      Cell Held = read(Object, Where, R.C.Width);
      include(write(Object, Where, R.C.Width), Held, {0, 1, 0});
    }
  });
}

/// One write of the source seen through the copy.
void Naive::mirror(Rule &R, Index From, const Offsets &Region, const Access &Written) {
  uint64_t Length = R.C.Width;
  auto Into = [&](std::function<Access(const Offsets &)> Where) {
    Cell Held = Objects[From].Writes[Written];
    Held.Escapes = false;
    forMemory(Values[R.C.Dst], [&](Index Object, const Offsets &To) {
      if (isConstant(Object))
        return;
      Access A = Where(To);
      include(write(Object, A.Where, A.Width), Held);
    });
  };
  auto IntoAll = [&] { Into([&](const Offsets &To) { return Access{To, Length}; }); };
  if (Written.Width == 0 || Written.Width > MaxFieldWidth) {
    if (mayOverlap(Written.Where, Written.Width, Region, Length))
      IntoAll();
    return;
  }
  OffsetSet &Set = R.Relative[From];
  for (const Offsets &Piece : relativeOffsets(Written, Region, Length)) {
    if (isPartial(Piece, Written.Width, Length)) {
      IntoAll();
      continue;
    }
    Changed |= Set.insert(Piece, MaxCopiedFields);
    Offsets Where = isClass(Set.Pieces[0]) ? Set.Pieces[0] : Piece;
    Into([&](const Offsets &To) { return mirroredAccess(To, Length, Where, Written.Width); });
  }
}

void Naive::copyMemory(Rule &R) {
  uint64_t Length = R.C.Width;
  const Cell &Src = Values[R.C.Src];
  bool Unknown = Src.External || R.SrcUnknown, Absorbed = Src.Absorbed;
  bool Outside = Values[R.C.Dst].External || R.DstUnknown;
  forMemory(Src, [&](Index Object, const Offsets &Where) {
    if (Outside)
      set(read(Object, Where, Length).Escapes);
    std::vector<Access> Writes;
    for (auto &[W, C] : Objects[Object].Writes)
      Writes.push_back(W);
    for (const Access &W : Writes)
      mirror(R, Object, Where, W);
  });
  if (Unknown)
    forMemory(Values[R.C.Dst], [&](Index Object, const Offsets &Where) {
      if (isConstant(Object))
        return;
      Cell &Written = write(Object, Where, Length);
      set(Written.External);
      if (Absorbed)
        absorb(Written);
    });
}

void Naive::apply(Rule &R) {
  const Constraint &C = R.C;
  switch (C.Kind) {
  case ConstraintKind::AddressOf:
    return point(Values[C.Dst], C.Src, displace(exactOffset(0), C.Disp));
  case ConstraintKind::Copy:
    return include(Values[C.Dst], Values[C.Src]);
  case ConstraintKind::Displace:
    return include(Values[C.Dst], Values[C.Src], C.Disp);
  case ConstraintKind::Indexed:
    return include(Values[C.Dst], Values[C.Src], {0, 1, 0}, false);
  case ConstraintKind::Load:
    return load(R);
  case ConstraintKind::Store:
    return store(R);
  case ConstraintKind::NarrowLoad:
    return O.Stress ? void() : narrowLoad(R);
  case ConstraintKind::UntrackedStore:
    return untrackedStore(R);
  case ConstraintKind::CopyMemory:
    return copyMemory(R);
  case ConstraintKind::External:
    return set(Values[C.Dst].External);
  case ConstraintKind::Escape:
    return set(Values[C.Src].Escapes);
  case ConstraintKind::Difference:
    if (R.Decided) {
      set(Values[C.Dst].Escapes);
      set(Values[C.Src].Escapes);
    }
  }
}

void Naive::escapedCell(Cell &C) {
  if (C.Escapes)
    forPointees(C, [&](Index Object, const Offsets &) { escape(Object); });
  normalise(C);
}

void Naive::escapedObject(Index Object) {
  if (!Objects[Object].Escaped)
    return;
  for (auto &[A, C] : Objects[Object].Writes)
    set(C.Escapes);
  if (isFunction(Object))
    for (Index F : P.Definitions[P.Objects[Object].Symbol])
      set(EscapedFunctions[F]);
}

void Naive::escapeFunction(Index F) {
  if (!EscapedFunctions[F])
    return;
  activate(F);
  for (Index V : P.Functions[F].Params)
    if (V != None)
      include(Values[V], Values[Ids.Outside]);
  if (P.Functions[F].Varargs != None)
    include(Values[P.Functions[F].Varargs], Values[Ids.Outside]);
  if (P.Functions[F].Result == None)
    return;
  set(Values[P.Functions[F].Result].Escapes);
  include(Values[Ids.Outside], Values[P.Functions[F].Result]);
}

void Naive::libraryMemory() {
  escape(Ids.KeyCell);
  escape(Ids.PrivateMemory);
  set(Values[Ids.ThreadResults].External);
}

void Naive::unknownCall(Caller &C) {
  libraryMemory();
  for (const CallArg &A : C.Call.Args)
    if (A.Value != None)
      set(Values[A.Value].Escapes);
  if (C.Call.Result != None)
    set(Values[C.Call.Result].External);
}

void Naive::bind(CallSite Call, Index F) {
  if (!Call.Callback)
    F = P.calleeIn(Call.Root, F);
  const Function &Callee = P.Functions[F];
  activate(F);
  for (size_t I = 0; I < Call.Args.size(); ++I) {
    Index V = Call.Args[I].Value;
    Index To = I < Callee.Params.size() ? Callee.Params[I] : Callee.Varargs;
    if (V != None && To != None)
      include(Values[To], Values[V]);
    else if (V != None && !O.Stress)
      set(Values[V].Escapes);
  }
  for (size_t I = 0; I < Callee.Params.size(); ++I)
    if (Callee.Params[I] != None && !passesWord(Call, I) && !O.Stress)
      set(Values[Callee.Params[I]].External);
  if (Call.Result != None && Callee.Result != None)
    include(Values[Call.Result], Values[Callee.Result]);
  else if (Call.Result != None && !Call.Callback && !O.Stress)
    set(Values[Call.Result].External);
}

/// The first time a caller may call a symbol that has no definition: its model's rules come into force.
void Naive::reach(Index Id, Index Symbol) {
  CallSite Call = Callers[Id].Call;
  if (!P.Definitions[Symbol].empty())
    return;
  std::string Name = P.str(P.Symbols[Symbol].Name);
  const Model *Known = Call.NoBuiltin || P.Redefined.contains(Name) ? nullptr : M.find(Name, Call.Args.size());
  if (!Known) {
    Library.push_back({Id, Symbol, false, false, {}});
    Callers[Id].Unknown |= !O.Stress;
    return;
  }
  NodeName Path;
  Path.K = NodeName::Temporary;
  Path.Path = Call.Path;
  Path.Path.push_back(Symbol);
  Path.Path.push_back(0);
  LoweredEffects E = lowerEffects(P, *Known, Name, Call, Ids, [&] {
    Values.emplace_back();
    Values.back().External = Saturated.count(Path);
    ++Path.Path.back();
    return Index(Values.size() - 1);
  });
  Library.push_back({Id, Symbol, E.Allocates, E.LibraryMade, E.Roots});
  for (const Constraint &C : E.Constraints) {
    Rules.emplace_back(C, None, Path);
    assumeOf(Rules.back());
    ++Path.Path.back();
  }
  Path.Path.back() = 0;
  for (CallSite &C : E.Calls) {
    C.Path = Path.Path;
    ++Path.Path.back();
    Callers.emplace_back(C);
    Callers.back().Parent = Id;
    Callers.back().ParentSymbol = Symbol;
    Callers.back().Unknown |= EmptyCalls.count(C.Path) != 0;
  }
  if (Call.Spawn)
    set(Values[Ids.ThreadResults].Escapes);
}

void Naive::call(Index Id) {
  CallSite Call = Callers[Id].Call;
  std::set<Index> Symbols;
  if (Call.Depth <= MaxCallbackDepth) {
    if (Call.Symbol != None)
      Symbols.insert(Call.Symbol);
    if (Call.Callee != None)
      for (auto &[Object, Set] : Values[Call.Callee].Pointees)
        if (isFunction(Object))
          Symbols.insert(P.Objects[Object].Symbol);
    if (Call.Callee != None && Values[Call.Callee].External) {
      set(Callers[Id].Unknown);
      escape(Ids.FirstHeap + Call.Root);
      for (const CallArg &A : Call.Args)
        if (A.Value != None)
          include(Values[Ids.Outside], Values[A.Value]);
      if (Call.Result != None) {
        include(Values[Call.Result], Values[Ids.Outside]);
        point(Values[Call.Result], Ids.FirstHeap + Call.Root, exactOffset(0));
      }
      include(Values[Ids.ThreadResults], Values[Ids.Outside]);
    }
  }
  for (Index Symbol : Symbols) {
    if (Callers[Id].Symbols.insert(Symbol).second) {
      Changed = true;
      reach(Id, Symbol);
    }
    for (Index F : P.Definitions[Symbol])
      bind(Call, F);
  }
  if (Callers[Id].Unknown)
    unknownCall(Callers[Id]);
}

/// What the log says of a rule that comes into force.
void Naive::assumeOf(Rule &R) {
  if (auto It = EmptyEnds.find(R.Id); R.Id != None && It != EmptyEnds.end()) {
    R.Decided = true;
    R.SrcUnknown = It->second.first;
    R.DstUnknown = It->second.second;
  }
  if (R.C.Kind == ConstraintKind::CopyMemory)
    for (const auto &[Key, Class] : CopyClasses) {
      NodeName Name = R.Name;
      Name.Id = std::get<2>(Key);
      if (!(Name < std::get<0>(Key)) && !(std::get<0>(Key) < Name) && R.Id == std::get<1>(Key))
        R.Relative[Name.Id].insert(Class);
    }
}

void Naive::activate(Index F) {
  if (Active[F])
    return;
  set(Active[F]);
  const Function &Fn = P.Functions[F];
  for (Index I = Fn.FirstConstraint; I < Fn.LastConstraint; ++I) {
    Rules.emplace_back(P.Constraints[I], I, NodeName());
    Rules.back().Function = F;
    assumeOf(Rules.back());
  }
  for (Index I = Fn.FirstCall; I < Fn.LastCall; ++I) {
    Callers.emplace_back(siteOf(P, I));
    Callers.back().Unknown |= EmptyCalls.count({I}) != 0;
  }
}

/// What is active or seen from outside before anything is solved.
void Naive::entries() {
  if (!O.Stress)
    set(Values[Ids.Outside].External);
  point(Values[Ids.KeyPointer], Ids.KeyCell, exactOffset(0));
  point(Values[Ids.PrivatePointer], Ids.PrivateMemory, exactOffset(0));
  for (Index I : P.GlobalConstraints) {
    Rules.emplace_back(P.Constraints[I], I, NodeName());
    assumeOf(Rules.back());
  }
  for (Index O = 0; O < P.Objects.size(); ++O) {
    Index Symbol = P.Objects[O].Symbol;
    if (Symbol == None)
      continue;
    bool Elsewhere = P.Objects[O].Kind == ObjectKind::Variable && P.Symbols[Symbol].Link == Linkage::Declared;
    if (P.SymbolVisible[Symbol] || Elsewhere)
      escape(O);
  }
  for (Index Symbol = 0; Symbol < P.Symbols.size(); ++Symbol)
    for (Index F : P.Definitions[Symbol]) {
      bool Main = P.Symbols[Symbol].Link != Linkage::Internal && P.str(P.Symbols[Symbol].Name) == "main";
      if (P.SymbolVisible[Symbol] && !Main)
        libraryMemory();
      if (P.SymbolVisible[Symbol] || Main || P.Functions[F].Constructor || P.Functions[F].Destructor)
        set(EscapedFunctions[F]);
    }
}

void Naive::fixpoint() {
  do {
    Changed = false;
    for (size_t I = 0; I < Rules.size(); ++I)
      apply(Rules[I]);
    for (Index I = 0; I < Callers.size(); ++I)
      call(I);
    for (Cell &C : Values)
      escapedCell(C);
    for (Memory &Mem : Objects) {
      for (auto &[A, C] : Mem.Writes)
        escapedCell(C);
      for (auto &[A, C] : Mem.Reads)
        escapedCell(C);
    }
    for (Index I = 0; I < Objects.size(); ++I)
      escapedObject(I);
    for (Index F = 0; F < P.Functions.size(); ++F)
      escapeFunction(F);
  } while (Changed);
}

bool Naive::mayAlias(Index A, Index B) const {
  if (Values[A].External && Values[B].External)
    return true;
  for (const auto &[Object, Set] : Values[A].Pointees)
    if (Values[B].Pointees.count(Object))
      return true;
  return false;
}

/// Decides what is open, all on the same sets. Whether anything was.
bool Naive::round() {
  if (O.Stress)
    return false;
  const std::vector<bool> Active = activeFunctions();
  std::vector<std::pair<Rule *, std::pair<bool, bool>>> Unknown;
  for (Rule &R : Rules) {
    ConstraintKind K = R.C.Kind;
    if (R.Id == None || R.Decided || R.Function == None || !Active[R.Function])
      continue;
    bool Copy = K == ConstraintKind::CopyMemory;
    bool Src = (Copy || K == ConstraintKind::Load) && empty(R.C.Src);
    bool Dst = (Copy || K == ConstraintKind::Store) && empty(R.C.Dst);
    if (K == ConstraintKind::Difference)
      Src = !mayAlias(R.C.Dst, R.C.Src);
    if (Src || Dst)
      Unknown.push_back({&R, {Src, Dst}});
  }
  std::vector<Caller *> Calls;
  for (Caller &C : Callers) {
    if (C.Unknown || C.Call.Callee == None || Values[C.Call.Callee].External)
      continue;
    if (!Active[P.Calls[C.Call.Root].Function] || (C.Parent != None && !counts(C.Parent, C.ParentSymbol)))
      continue;
    // A function that the set held once, and that is gone, would have left it external.
    bool Any = std::any_of(Values[C.Call.Callee].Pointees.begin(), Values[C.Call.Callee].Pointees.end(),
                           [&](const auto &Held) { return isFunction(Held.first); });
    if (!Any)
      Calls.push_back(&C);
  }
  for (auto &[R, Ends] : Unknown) {
    R->Decided = true;
    R->SrcUnknown = Ends.first;
    R->DstUnknown = Ends.second;
  }
  for (Caller *C : Calls)
    C->Unknown = true;
  return !Unknown.empty() || !Calls.empty();
}

bool Naive::counts(Index Id, Index Symbol) const {
  const Caller &C = Callers[Id];
  if (C.Parent != None && !counts(C.Parent, C.ParentSymbol))
    return false;
  return C.Call.Symbol == Symbol || !Values[C.Call.Callee].External || !Objects[P.Symbols[Symbol].Object].Escaped;
}

/// Without the copies of escaped functions that only bindings entered which do not count.
std::vector<bool> Naive::activeFunctions() const {
  std::vector<bool> Now = EscapedFunctions;
  for (bool More = true; More;) {
    More = false;
    for (Index Id = 0; Id < Callers.size(); ++Id)
      for (Index Symbol : Callers[Id].Symbols)
        for (Index F : P.Definitions[Symbol]) {
          const CallSite &Call = Callers[Id].Call;
          Index To = Call.Callback ? F : P.calleeIn(Call.Root, F);
          if (Now[P.Calls[Call.Root].Function] && !Now[To] && counts(Id, Symbol))
            Now[To] = More = true;
        }
  }
  return Now;
}

void Naive::extractCalls() {
  S.Active = activeFunctions();
  auto In = [&](Index Id) { return S.Active[P.Calls[Callers[Id].Call.Root].Function]; };
  std::vector<std::set<Index>> Callees(P.Calls.size()), ExternalCallees(P.Calls.size());
  S.CallsEscaped.assign(P.Calls.size(), false);
  for (Index Id = 0; Id < Callers.size(); ++Id) {
    const CallSite &Call = Callers[Id].Call;
    if (!In(Id))
      continue;
    if (Callers[Id].Parent == None && Call.Callee != None && Values[Call.Callee].External)
      S.CallsEscaped[Call.Root] = true;
    for (Index Symbol : Callers[Id].Symbols) {
      if (!counts(Id, Symbol))
        continue;
      for (Index F : P.Definitions[Symbol]) {
        if (!Call.Callback)
          Callees[Call.Root].insert(P.calleeIn(Call.Root, F));
        if (Call.Spawn && P.Functions[F].Result != None)
          S.Roots.push_back({P.Functions[F].Result, 103, Call.Loc, causeText(103, ""), Call.Root});
      }
    }
  }
  for (const Made &L : Library) {
    if (!In(L.Caller) || !counts(L.Caller, L.Symbol))
      continue;
    const CallSite &Call = Callers[L.Caller].Call;
    if (!Call.Callback)
      ExternalCallees[Call.Root].insert(L.Symbol);
    S.Roots.insert(S.Roots.end(), L.Roots.begin(), L.Roots.end());
    if (!L.Allocates)
      continue;
    S.HeapObject[Call.Root] = Ids.FirstHeap + Call.Root;
    S.Objects[Ids.FirstHeap + Call.Root].LibraryMade |= L.LibraryMade;
  }
  for (Index C = 0; C < P.Calls.size(); ++C) {
    S.Callees.emplace_back(Callees[C].begin(), Callees[C].end());
    S.ExternalCallees.emplace_back(ExternalCallees[C].begin(), ExternalCallees[C].end());
  }
}

void Naive::extract() {
  for (Index V = 0; V < P.ValueNames.size(); ++V) {
    std::vector<Target> Known;
    forPointees(Values[V], [&](Index Object, const Offsets &Where) { Known.push_back({Object, Where}); });
    S.addValue(std::move(Known), Values[V].External);
  }
  for (Index I = 0; I < Objects.size(); ++I)
    S.Objects[I].Escaped = Objects[I].Escaped;
  for (Index I = 0; I < Objects.size(); ++I) {
    std::set<Index> Contents;
    bool External = Objects[I].Escaped;
    if (!External)
      for (const auto &[A, C] : Objects[I].Writes) {
        External |= C.External;
        for (const auto &[Object, Set] : C.Pointees)
          Contents.insert(Object);
      }
    S.setContents(I, {Contents.begin(), Contents.end()}, External);
  }
  extractCalls();
}

Solution Naive::run() {
  entries();
  do {
    ++S.Stats.Rounds;
    fixpoint();
    if (Axioms && round()) { // the log does not say all
      S.Finished = false;
      break;
    }
  } while (!Axioms && round());
  extract();
  finishSolution(P, S);
  return std::move(S);
}

} // namespace

Solution solveNaive(const Program &P, const Models &M, const SolverOptions &O, const DecisionLog *Axioms) {
  return Naive(P, M, O, Axioms).run();
}

} // namespace freehold
