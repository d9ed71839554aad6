// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Naive.cpp - the rules of Solver.h, one function a rule, applied in a loop until nothing changes. No graph, no worklist, no
// deltas: slow and plain on purpose. It shares with the worklist solver only the data model, the offset algebra and the
// translation of models.
#include "solver/Effects.h"
#include "solver/OffsetSet.h"
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
  bool Escapes = false; ///< its pointees escape
};

struct Memory {
  std::map<Access, Cell> Writes;
  bool Collapsed = false, Escaped = false;
};

/// A constraint that is in force.
struct Rule {
  explicit Rule(const Constraint &C, Index Id = None) : C(C), Id(Id) {}
  Constraint C;
  Index Id; ///< in the Program; None: made by a model or always in force
  bool Decided = false, SrcUnknown = false, DstUnknown = false;
  OffsetSet Relative; ///< CopyMemory: where in the region the copied accesses begin
};

struct Caller {
  explicit Caller(const CallSite &Call) : Call(Call), Unknown(Call.Depth > MaxCallbackDepth) {}
  CallSite Call;
  std::set<Index> Symbols;
  bool Unknown;
};

class Naive {
public:
  Naive(const Program &P, const Models &M, const SolverOptions &O);
  Solution run();

private:
  const Program &P;
  const Models &M;
  SolverOptions O;
  SolverIds Ids;
  std::vector<Cell> Values;
  std::vector<Memory> Objects;
  std::vector<Rule> Rules;
  std::vector<Caller> Callers;
  std::vector<bool> Active, EscapedFunctions;
  std::vector<std::set<Index>> Callees, ExternalCallees;
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
  bool isFunction(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Kind == ObjectKind::Function; }
  void point(Cell &To, Index Object, const Offsets &Where) {
    Changed |= To.Pointees[Object].insert(isFunction(Object) ? exactOffset(0) : Where);
  }
  void include(Cell &To, const Cell &From, const Displacement &D = {}, bool Externality = true);
  Access access(Index Object, const Offsets &Where, uint64_t Width) const {
    return Objects[Object].Collapsed ? Access{anyOffset(), 0} : Access{Where, Width};
  }
  Cell &write(Index Object, const Offsets &Where, uint64_t Width);
  template <class Do> void forWrites(Index Object, Access A, Do Each);
  template <class Do> void forPointees(const Cell &V, Do Each);
  void escape(Index Object);
  bool empty(Index V) const { return Values[V].Pointees.empty() && !Values[V].External; }

  void load(Rule &R);
  void store(Rule &R);
  void narrowLoad(Rule &R);
  bool isConstant(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Constant; }
  void untrackedStore(Rule &R);
  void copyMemory(Rule &R);
  void mirror(Rule &R, Index From, const Offsets &Region, const Access &Written);
  void apply(Rule &R);
  void escapedCell(Cell &C);
  void escapedObject(Index Object);
  void escapeFunction(Index F);
  void unknownCall(Caller &C);
  void bind(CallSite Call, Index F);
  void reach(Index Caller, Index Symbol);
  void call(Index Caller);
  void activate(Index F);
  void entries();
  void fixpoint();
  bool round();
  bool tooManyWrites(const Memory &Mem) const;
  void extract();
};

Naive::Naive(const Program &P, const Models &M, const SolverOptions &O)
    : P(P), M(M), O(O), Ids(P), Values(Ids.FirstFreeValue), Objects(Ids.NumObjects), Active(P.Functions.size()),
      EscapedFunctions(P.Functions.size()), Callees(P.Calls.size()), ExternalCallees(P.Calls.size()) {
  for (Memory &Mem : Objects)
    Mem.Collapsed = !O.FieldSensitive;
  S.HeapObject.assign(P.Calls.size(), None);
  S.Objects.resize(Ids.NumObjects);
  for (Index I = 0; I < Ids.NumObjects; ++I) {
    AbstractObject &A = S.Objects[I];
    A.K = I >= Ids.KeyCell                            ? AbstractObject::Private
          : I >= Ids.FirstHeap                        ? AbstractObject::Heap
          : P.Objects[I].Kind == ObjectKind::Variable ? AbstractObject::Variable
          : P.Objects[I].Kind == ObjectKind::Function ? AbstractObject::Function
                                                      : AbstractObject::Stack;
    A.Source = I >= Ids.KeyCell ? None : I >= Ids.FirstHeap ? I - Ids.FirstHeap : I;
  }
}

void Naive::include(Cell &To, const Cell &From, const Displacement &D, bool Externality) {
  if (From.External && Externality)
    set(To.External);
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

Cell &Naive::write(Index Object, const Offsets &Where, uint64_t Width) {
  auto [It, New] = Objects[Object].Writes.try_emplace(access(Object, Where, Width));
  Changed |= New;
  return It->second;
}

/// All writes that may touch bytes of A.
template <class Do> void Naive::forWrites(Index Object, Access A, Do Each) {
  bool Collapsed = Objects[Object].Collapsed;
  for (auto &[W, C] : Objects[Object].Writes)
    if (Collapsed || mayOverlap(W.Where, W.Width, A.Where, A.Width))
      Each(W, C);
}

void Naive::escape(Index Object) { set(Objects[Object].Escaped); }

void Naive::load(Rule &R) {
  Cell &Dst = Values[R.C.Dst];
  const Cell &Src = Values[R.C.Src];
  if (Src.External || R.SrcUnknown)
    set(Dst.External);
  forPointees(Src, [&](Index Object, const Offsets &Where) {
    if (Objects[Object].Escaped)
      set(Dst.External);
    forWrites(Object, access(Object, Where, R.C.Width), [&](const Access &, Cell &C) { include(Dst, C); });
  });
}

void Naive::store(Rule &R) {
  Cell &Src = Values[R.C.Src];
  const Cell &Dst = Values[R.C.Dst];
  if (Dst.External || R.DstUnknown)
    set(Src.Escapes);
  forPointees(Dst, [&](Index Object, const Offsets &Where) {
    if (R.C.Code || !isConstant(Object))
      include(write(Object, Where, R.C.Width), Src);
  });
}

void Naive::narrowLoad(Rule &R) {
  forPointees(Values[R.C.Src], [&](Index Object, const Offsets &Where) {
    forWrites(Object, access(Object, Where, R.C.Width), [&](const Access &, Cell &C) { set(C.Escapes); });
  });
}

void Naive::untrackedStore(Rule &R) {
  forPointees(Values[R.C.Dst], [&](Index Object, const Offsets &Where) {
    if (isConstant(Object) || (R.C.Code && R.C.Width >= 8)) // whole words of zeroes leave nothing
      return;
    Cell &Written = write(Object, Where, R.C.Width);
    if (R.C.Code == 0)
      set(Written.External);
    if (R.C.Width < 8) // a part of a word: what it holds moves
      forWrites(Object, access(Object, Where, R.C.Width), [&](const Access &, Cell &Held) {
        Cell Before = Held;
        include(Written, Before, {0, 1, 0});
      });
  });
}

/// One write of the source seen through the copy.
void Naive::mirror(Rule &R, Index From, const Offsets &Region, const Access &Written) {
  uint64_t Length = R.C.Width;
  auto Into = [&](std::function<Access(const Offsets &)> Where) {
    Cell Held = Objects[From].Writes[Written];
    Held.Escapes = false;
    forPointees(Values[R.C.Dst], [&](Index Object, const Offsets &To) {
      if (isConstant(Object))
        return;
      Access A = Where(To);
      include(write(Object, A.Where, A.Width), Held);
    });
  };
  if (Written.Width == 0 || Written.Width > MaxFieldWidth) {
    if (mayOverlap(Written.Where, Written.Width, Region, Length))
      Into([&](const Offsets &To) { return Access{To, Length}; });
    return;
  }
  OffsetSet &Set = R.Relative;
  for (const Offsets &Piece : relativeOffsets(Written, Region, Length)) {
    Changed |= Set.insert(Piece, MaxCopiedFields);
    Offsets Where = isClass(Set.Pieces[0]) ? Set.Pieces[0] : Piece;
    Into([&](const Offsets &To) { return mirroredAccess(To, Length, Where, Written.Width); });
  }
}

void Naive::copyMemory(Rule &R) {
  uint64_t Length = R.C.Width;
  bool Unknown = Values[R.C.Src].External || R.SrcUnknown;
  bool Outside = Values[R.C.Dst].External || R.DstUnknown;
  forPointees(Values[R.C.Src], [&](Index Object, const Offsets &Where) {
    Unknown |= Objects[Object].Escaped;
    if (Outside)
      forWrites(Object, access(Object, Where, Length), [&](const Access &, Cell &C) { set(C.Escapes); });
    std::vector<Access> Writes;
    for (auto &[W, C] : Objects[Object].Writes)
      Writes.push_back(W);
    for (const Access &W : Writes)
      mirror(R, Object, Where, W);
  });
  if (Unknown)
    forPointees(Values[R.C.Dst], [&](Index Object, const Offsets &Where) {
      if (!isConstant(Object))
        set(write(Object, Where, Length).External);
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
    return narrowLoad(R);
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
      set(Values[V].External);
  if (P.Functions[F].Varargs != None)
    set(Values[P.Functions[F].Varargs].External);
  if (P.Functions[F].Result != None)
    set(Values[P.Functions[F].Result].Escapes);
}

void Naive::unknownCall(Caller &C) {
  escape(Ids.KeyCell);
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
  if (!Call.Callback)
    Callees[Call.Root].insert(F);
  for (size_t I = 0; I < Call.Args.size(); ++I) {
    Index V = Call.Args[I].Value;
    Index To = I < Callee.Params.size() ? Callee.Params[I] : Callee.Varargs;
    if (V != None && To != None)
      include(Values[To], Values[V]);
    else if (V != None)
      set(Values[V].Escapes);
  }
  for (size_t I = 0; I < Callee.Params.size(); ++I)
    if (Callee.Params[I] != None && !passesWord(Call, I))
      set(Values[Callee.Params[I]].External);
  if (Call.Result != None && Callee.Result != None)
    include(Values[Call.Result], Values[Callee.Result]);
  else if (Call.Result != None && !Call.Callback)
    set(Values[Call.Result].External);
}

/// The first time a caller may call a symbol that has no definition: its model's rules come into force.
void Naive::reach(Index Id, Index Symbol) {
  CallSite Call = Callers[Id].Call;
  if (Call.Spawn)
    for (Index F : P.Definitions[Symbol])
      if (P.Functions[F].Result != None)
        S.Roots.push_back({P.Functions[F].Result, 103, Call.Loc, causeText(103, ""), Call.Root});
  if (!P.Definitions[Symbol].empty())
    return;
  std::string Name = P.str(P.Symbols[Symbol].Name);
  if (!Call.Callback)
    ExternalCallees[Call.Root].insert(Symbol);
  const Model *Model = Call.NoBuiltin || P.Redefined.contains(Name) ? nullptr : M.find(Name, Call.Args.size());
  if (!Model) {
    Callers[Id].Unknown = true;
    return;
  }
  LoweredEffects E = lowerEffects(P, *Model, Name, Call, Ids, [&] {
    Values.emplace_back();
    return Index(Values.size() - 1);
  });
  if (E.Allocates) {
    S.HeapObject[Call.Root] = Ids.FirstHeap + Call.Root;
    S.Objects[Ids.FirstHeap + Call.Root].LibraryMade |= E.LibraryMade;
  }
  S.Roots.insert(S.Roots.end(), E.Roots.begin(), E.Roots.end());
  for (const Constraint &C : E.Constraints)
    Rules.emplace_back(C);
  for (const CallSite &C : E.Calls)
    Callers.emplace_back(C);
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
    if (Call.Callee != None && Values[Call.Callee].External)
      set(Callers[Id].Unknown);
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

void Naive::activate(Index F) {
  if (Active[F])
    return;
  set(Active[F]);
  const Function &Fn = P.Functions[F];
  for (Index I = Fn.FirstConstraint; I < Fn.LastConstraint; ++I)
    Rules.emplace_back(P.Constraints[I], I);
  for (Index I = Fn.FirstCall; I < Fn.LastCall; ++I) {
    const Call &C = P.Calls[I];
    CallSite Site;
    Site.Root = I;
    Site.Symbol = C.Symbol;
    Site.Callee = C.Callee;
    Site.Args = C.Args;
    Site.Result = C.Result;
    Site.NoBuiltin = C.NoBuiltin;
    Site.Loc = C.Loc;
    Callers.emplace_back(Site);
  }
}

/// What is active or seen from outside before anything is solved.
void Naive::entries() {
  point(Values[Ids.KeyPointer], Ids.KeyCell, exactOffset(0));
  point(Values[Ids.PrivatePointer], Ids.PrivateMemory, exactOffset(0));
  for (Index I : P.GlobalConstraints)
    Rules.emplace_back(P.Constraints[I]);
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
        escape(Ids.KeyCell);
      if (P.SymbolVisible[Symbol] || Main || P.Functions[F].Constructor || P.Functions[F].Destructor)
        set(EscapedFunctions[F]);
    }
}

void Naive::fixpoint() {
  do {
    Changed = false;
    for (Rule &R : Rules)
      apply(R);
    for (Index I = 0; I < Callers.size(); ++I)
      call(I);
    for (Cell &C : Values)
      escapedCell(C);
    for (Memory &Mem : Objects)
      for (auto &[A, C] : Mem.Writes)
        escapedCell(C);
    for (Index I = 0; I < Objects.size(); ++I)
      escapedObject(I);
    for (Index F = 0; F < P.Functions.size(); ++F)
      escapeFunction(F);
  } while (Changed);
}

/// More written accesses, none covered by another of the same width, than the cap allows.
bool Naive::tooManyWrites(const Memory &Mem) const {
  unsigned Count = 0;
  for (const auto &[A, CA] : Mem.Writes) {
    bool Covered = false;
    for (const auto &[B, CB] : Mem.Writes)
      Covered |= A.Width == B.Width && !(A.Where == B.Where) && covers(B.Where, A.Where);
    Count += !Covered;
  }
  return !Mem.Collapsed && Count > O.FieldCap;
}

bool Naive::round() {
  std::vector<std::pair<Rule *, std::pair<bool, bool>>> Unknown;
  for (Rule &R : Rules) {
    ConstraintKind K = R.C.Kind;
    if (R.Id == None || R.Decided)
      continue;
    bool Memory = K == ConstraintKind::CopyMemory;
    bool Src = (Memory || K == ConstraintKind::Load) && empty(R.C.Src);
    bool Dst = (Memory || K == ConstraintKind::Store) && empty(R.C.Dst);
    if (K == ConstraintKind::Difference) {
      Src = true;
      for (const auto &[Object, Set] : Values[R.C.Src].Pointees)
        Src &= !Values[R.C.Dst].Pointees.count(Object);
    }
    if (Src || Dst)
      Unknown.push_back({&R, {Src, Dst}});
  }
  std::vector<Caller *> Calls;
  for (Caller &C : Callers) {
    if (C.Unknown || C.Call.Callee == None || Values[C.Call.Callee].External)
      continue;
    bool Any = false;
    for (const auto &[Object, Set] : Values[C.Call.Callee].Pointees)
      Any |= isFunction(Object);
    if (!Any)
      Calls.push_back(&C);
  }
  std::vector<Memory *> Collapse;
  for (Memory &Mem : Objects)
    if (tooManyWrites(Mem))
      Collapse.push_back(&Mem);
  for (auto &[R, Ends] : Unknown) {
    R->Decided = true;
    R->SrcUnknown = Ends.first;
    R->DstUnknown = Ends.second;
  }
  for (Caller *C : Calls)
    C->Unknown = true;
  for (Memory *Mem : Collapse) {
    Mem->Collapsed = true;
    Cell All;
    for (auto &[A, C] : Mem->Writes)
      include(All, C), All.Escapes |= C.Escapes;
    Mem->Writes.clear();
    Mem->Writes[{anyOffset(), 0}] = All;
  }
  return !Unknown.empty() || !Calls.empty() || !Collapse.empty();
}

void Naive::extract() {
  for (Index V = 0; V < P.ValueNames.size(); ++V) {
    S.External.push_back(Values[V].External);
    S.Pointees.emplace_back();
    for (const auto &[Object, Set] : Values[V].Pointees)
      for (const Offsets &Where : Set.Pieces)
        S.Pointees.back().push_back({Object, Where});
  }
  for (Index I = 0; I < Objects.size(); ++I) {
    std::set<Index> Contents;
    for (const auto &[A, C] : Objects[I].Writes)
      for (const auto &[Object, Set] : C.Pointees)
        Contents.insert(Object);
    S.Contents.emplace_back(Contents.begin(), Contents.end());
    S.Objects[I].Escaped = Objects[I].Escaped;
  }
  for (Index C = 0; C < P.Calls.size(); ++C) {
    S.Callees.emplace_back(Callees[C].begin(), Callees[C].end());
    S.ExternalCallees.emplace_back(ExternalCallees[C].begin(), ExternalCallees[C].end());
  }
  S.Active = Active;
}

Solution Naive::run() {
  entries();
  do {
    ++S.Stats.Rounds;
    fixpoint();
  } while (round());
  extract();
  finishSolution(P, S);
  return std::move(S);
}

} // namespace

Solution solveNaive(const Program &P, const Models &M, const SolverOptions &O) { return Naive(P, M, O).run(); }

} // namespace freehold
