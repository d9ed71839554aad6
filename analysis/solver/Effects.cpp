// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effects.cpp - see Effects.h.
#include "solver/Effects.h"
#include "solver/OffsetSet.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>
#include <tuple>

namespace freehold {
namespace {

/// What a printf or scanf format does to its arguments.
struct FormatUse {
  unsigned Arg = 0; ///< counted from the first variadic argument
  char Conversion = 0;
  bool Allocates = false; ///< scanf %m
};

/// False: positional arguments or something else we do not follow.
bool parseFormat(llvm::StringRef F, bool Scan, std::vector<FormatUse> &Uses) {
  unsigned Next = 0;
  while (!F.empty()) {
    size_t Percent = F.find('%');
    if (Percent == llvm::StringRef::npos)
      return true;
    F = F.drop_front(Percent + 1);
    if (F.consume_front("%"))
      continue;
    bool Suppressed = false, Allocates = false;
    while (!F.empty() && llvm::StringRef("-+ #0'I*.123456789hljztLqm$").contains(F[0])) {
      if (F[0] == '$')
        return false;
      if (F[0] == 'm' && !Scan)
        break; // printf %m takes no argument
      if (F[0] == '*') {
        if (Scan)
          Suppressed = true;
        else
          Uses.push_back({Next++, 'd', false});
      }
      Allocates |= F[0] == 'm';
      F = F.drop_front();
    }
    if (F.empty())
      return false;
    char C = F[0];
    F = F.drop_front();
    if (C == '[') {
      F.consume_front("^");
      F.consume_front("]");
      size_t End = F.find(']');
      if (End == llvm::StringRef::npos)
        return false;
      F = F.drop_front(End + 1);
    } else if (!llvm::StringRef("diouxXeEfFgGaAcsCSpnm").contains(C)) {
      return false;
    }
    if (!Suppressed && C != 'm')
      Uses.push_back({Next++, C, Allocates});
  }
  return true;
}

class Lowering {
public:
  Lowering(const Program &P, llvm::StringRef Name, const CallSite &Site, const SolverIds &Ids,
           llvm::function_ref<Index()> NewValue)
      : P(P), Name(Name), Site(Site), Ids(Ids), NewValue(NewValue) {}
  void apply(const Effect &E);
  /// What the model does not class.
  void unclassed(const Model &M);
  LoweredEffects Out;

private:
  const Program &P;
  llvm::StringRef Name;
  const CallSite &Site;
  const SolverIds &Ids;
  llvm::function_ref<Index()> NewValue;

  Constraint &add(ConstraintKind Kind, Index Dst, Index Src) {
    Constraint C;
    C.Kind = Kind;
    C.Dst = Dst;
    C.Src = Src;
    C.Width = 8;
    C.Loc = Site.Loc;
    Out.Constraints.push_back(C);
    return Out.Constraints.back();
  }
  const CallArg *arg(const Operand &O) const { return O.N < Site.Args.size() ? &Site.Args[O.N] : nullptr; }
  Index anywhere(Index V) {
    Index T = NewValue();
    add(ConstraintKind::Displace, T, V).Disp = {0, 1, 0};
    return T;
  }
  /// The address that an operand in the role of *PLACE means.
  Index place(const Operand &O) {
    Index V = O.K == Operand::Result ? Site.Result : O.K == Operand::Arg && arg(O) ? arg(O)->Value : None;
    return V != None && O.AnyOffset ? anywhere(V) : V;
  }
  /// None: nothing that can carry a pointer.
  Index value(const Operand &O) {
    switch (O.K) {
    case Operand::Arg:
    case Operand::Result: {
      Operand Plain = O;
      Plain.AnyOffset = false;
      Index V = place(Plain);
      if (V != None && O.Deref) {
        Index T = NewValue();
        add(ConstraintKind::Load, T, V);
        V = T;
      }
      return V != None && O.AnyOffset ? anywhere(V) : V;
    }
    case Operand::External:
    case Operand::Static: {
      Index T = NewValue();
      add(ConstraintKind::External, T, None).Code = 301;
      return T;
    }
    case Operand::Private:
      return Ids.PrivatePointer;
    case Operand::Absent:
    case Operand::Scalar:
      return None;
    }
    return None;
  }
  Index fresh(const Effect &E) {
    Index T = NewValue();
    add(ConstraintKind::AddressOf, T, Ids.FirstHeap + Site.Root);
    Out.Allocates = true;
    Out.LibraryMade |= !E.Rewritable || Site.Callback;
    return T;
  }
  void deliver(const Operand &To, Index V) {
    Index Where = place(To);
    if (Where == None || V == None)
      return;
    add(To.Deref ? ConstraintKind::Store : ConstraintKind::Copy, Where, V);
  }
  void escape(Index V, ReasonCode Code) {
    if (V != None)
      add(ConstraintKind::Escape, None, V).Code = Code;
  }
  /// Argument N becomes known as a number. A distance does no harm: the summary has a Difference for it.
  void expose(size_t N, ReasonCode Code) {
    if (N < Site.Args.size() && !Site.Args[N].Distance)
      escape(Site.Args[N].Value, Code);
  }
  void expose(const Operand &O, ReasonCode Code) {
    if (O.K == Operand::Arg && !O.Deref)
      expose(O.N, Code);
    else
      escape(value(O), Code);
  }
  /// What the words behind V point to escapes.
  void bytesOut(Index V, uint64_t Width, ReasonCode Code) {
    if (V == None)
      return;
    Constraint &C = add(ConstraintKind::NarrowLoad, None, V);
    C.Width = Width;
    C.Code = Code;
  }
  /// The size in bytes, as far as it is known, or 0.
  uint64_t width(const Effect &E) const {
    if (E.FixedSize)
      return E.FixedSize;
    if (!E.Size || *E.Size >= Site.Args.size())
      return 0;
    return std::max<int64_t>(0, Site.Args[*E.Size].Constant.value_or(0));
  }
  void untracked(Index V, uint64_t Width) {
    if (V != None)
      add(ConstraintKind::UntrackedStore, V, None).Width = Width;
  }
  void copies(const Effect &E);
  void callback(const Effect &E);
  void spawns(const Effect &E, CallSite &C);
  void keyDestructor(const Effect &E);
  void format(const Effect &E);
};

void Lowering::copies(const Effect &E) {
  Index From = place(E.A), To = place(E.B);
  if (From == None || To == None)
    return;
  add(ConstraintKind::CopyMemory, To, From).Width = width(E);
}

void Lowering::spawns(const Effect &E, CallSite &C) {
  C.Spawn = true;
  C.Result = Ids.ThreadResults;
  for (size_t I = 0; I < C.Args.size(); ++I) {
    Index V = C.Args[I].Value;
    if (V == None)
      continue;
    if (V < Ids.ThreadResults)
      Out.Roots.push_back({V, 102, Site.Loc, causeText(102, Name), Site.Root});
    else
      escape(V, 102); // not a value of the program: nobody could be shown it
  }
}

void Lowering::callback(const Effect &E) {
  CallSite C;
  C.Root = Site.Root;
  C.Callee = value(E.A);
  C.Callback = true;
  C.Depth = Site.Depth + 1;
  C.Loc = Site.Loc;
  if (C.Callee == None)
    return; // null, SIG_IGN and the like
  for (const Operand &O : E.Args) {
    CallArg A;
    if (const CallArg *Given = O.K == Operand::Arg && !O.Deref ? arg(O) : nullptr)
      A = *Given;
    A.Value = value(O);
    C.Args.push_back(A);
  }
  if (E.Kind == EffectKind::Spawns)
    spawns(E, C);
  Out.Calls.push_back(std::move(C));
}

void Lowering::keyDestructor(const Effect &E) {
  CallSite C;
  C.Root = Site.Root;
  C.Callee = value(E.A);
  C.Callback = true;
  C.Depth = Site.Depth + 1;
  C.Loc = Site.Loc;
  if (C.Callee == None)
    return;
  C.Args.emplace_back();
  C.Args[0].Value = NewValue();
  add(ConstraintKind::Load, C.Args[0].Value, Ids.KeyPointer);
  Out.Calls.push_back(std::move(C));
}

void Lowering::format(const Effect &E) {
  bool Scan = E.Kind == EffectKind::Scan;
  const CallArg *Format = arg(E.A);
  std::vector<FormatUse> Uses;
  bool Known = Format && Format->String != None && parseFormat(P.Strings[Format->String], Scan, Uses);
  if (!Known) {
    bytesOut(value(E.A), 0, Scan ? 201 : E.Code);
    for (size_t I = E.FirstVararg; I < Site.Args.size(); ++I)
      escape(Site.Args[I].Value, 203);
    return;
  }
  for (const FormatUse &U : Uses) {
    size_t N = size_t(E.FirstVararg) + U.Arg;
    if (N >= Site.Args.size() || Site.Args[N].Value == None)
      continue;
    Index V = Site.Args[N].Value;
    if (U.Allocates) {
      Effect LibraryMade;
      Index Block = fresh(LibraryMade);
      add(ConstraintKind::Store, V, Block);
      untracked(Block, 0); // bytes that somebody wrote
    } else if (Scan || U.Conversion == 'n') {
      untracked(V, 0);
    } else if (U.Conversion == 's' || U.Conversion == 'S') {
      bytesOut(V, 0, E.Code);
    } else {
      expose(N, 201);
    }
  }
}

void Lowering::apply(const Effect &E) {
  switch (E.Kind) {
  case EffectKind::Alloc:
    return deliver(E.A, fresh(E));
  case EffectKind::Realloc: {
    Index Block = fresh(E), Old = value(E.B);
    deliver(E.A, Block);
    deliver(E.A, Old);
    if (Old != None)
      add(ConstraintKind::CopyMemory, Block, Old).Width = 0;
    return;
  }
  case EffectKind::Returns:
    if (Site.Result != None)
      if (Index V = value(E.A); V != None)
        add(ConstraintKind::Copy, Site.Result, V);
    return;
  case EffectKind::Stores:
    if (Index To = place(E.B); To != None)
      if (Index V = value(E.A); V != None)
        add(ConstraintKind::Store, To, V);
    return;
  case EffectKind::Copies:
    return copies(E);
  case EffectKind::Writes:
  case EffectKind::BytesIn:
    return untracked(value(E.A), width(E));
  case EffectKind::BytesOut:
    return bytesOut(value(E.A), width(E), E.Code);
  case EffectKind::Keeps:
    return escape(value(E.A), E.Code);
  case EffectKind::Exposes:
    for (const Operand &O : E.Args)
      expose(O, E.Code);
    return;
  case EffectKind::EntersLibrary:
    return escape(Ids.KeyPointer, 301);
  case EffectKind::Calls:
  case EffectKind::Spawns:
    return callback(E);
  case EffectKind::ExitsThread:
    if (Index V = value(E.A); V != None) {
      add(ConstraintKind::Copy, Ids.ThreadResults, V);
      if (V < Ids.ThreadResults)
        Out.Roots.push_back({V, 103, Site.Loc, "given to " + Name.str() + " as the thread's result", Site.Root});
      else
        escape(V, 103);
    }
    return;
  case EffectKind::Joins:
    if (Index To = place(E.A); To != None)
      add(ConstraintKind::Store, To, Ids.ThreadResults);
    return;
  case EffectKind::KeySet:
    if (Index V = value(E.A); V != None)
      add(ConstraintKind::Store, Ids.KeyPointer, V);
    return;
  case EffectKind::KeyGet:
    if (Site.Result != None)
      add(ConstraintKind::Load, Site.Result, Ids.KeyPointer);
    return;
  case EffectKind::KeyDtor:
    return keyDestructor(E);
  case EffectKind::Format:
  case EffectKind::Scan:
    return format(E);
  case EffectKind::Frees:
  case EffectKind::Reads:
  case EffectKind::Dies:
  case EffectKind::Fills:
  case EffectKind::Zeroes:
  case EffectKind::Nothing:
    return;
  }
}

void Lowering::unclassed(const Model &M) {
  for (unsigned N : M.Exposed)
    expose(N, 203);
  for (size_t N = M.VariadicExposed.value_or(Site.Args.size()); N < Site.Args.size(); ++N)
    expose(N, 203);
  if (M.ResultExternal && Site.Result != None)
    add(ConstraintKind::External, Site.Result, None);
}

} // namespace

LoweredEffects lowerEffects(const Program &P, const Model &M, llvm::StringRef Name, const CallSite &Site, const SolverIds &Ids,
                            llvm::function_ref<Index()> NewValue) {
  Lowering L(P, Name, Site, Ids, NewValue);
  for (const Effect &E : M.Effects)
    L.apply(E);
  L.unclassed(M);
  return std::move(L.Out);
}

std::string causeText(ReasonCode Code, llvm::StringRef By, llvm::StringRef Where) {
  std::string Name = "`" + By.str() + "`";
  switch (Code) {
  case 102:
    return By.empty() ? "passed to a new thread" : "passed to a new thread by " + By.str();
  case 103:
    return "the result of a thread";
  case 201:
    return By.empty() ? "used as a number or byte by byte" : "exposed as a number by " + Name;
  case 202:
    return "used by assembly code";
  case 203:
    return By.empty() ? "used in a way that is not modelled" : "passed to " + Name + " in a way that is not modelled";
  case 204:
    return "given to memory or code through a pointer of unknown origin";
  case 210:
    return "in a set of more objects behind one pointer than are told apart";
  case 301:
    return By.empty() ? "given to code that has no model" : "passed to " + Name + ", which has no model";
  case 302:
    return By.empty() ? "kept by a library" : "kept by " + Name;
  case 303:
    return "seen from outside the program's own modules";
  case 304:
    return By.empty() ? "written out of the program" : "written out of the program by " + Name;
  case 305:
    return "kept by the kernel" + (By.empty() ? "" : " for " + Name);
  case 306:
    return "passed to " + Name + ", which is defined in " + Where.str();
  default:
    return By.empty() ? "given away" : "given away by " + Name;
  }
}

CallSite siteOf(const Program &P, Index Id) {
  const Call &C = P.Calls[Id];
  CallSite Site;
  Site.Root = Id;
  Site.Path = {Id};
  Site.Symbol = C.Symbol;
  Site.Callee = C.Callee;
  Site.Args = C.Args;
  Site.Result = C.Result;
  Site.NoBuiltin = C.NoBuiltin;
  Site.Loc = C.Loc;
  return Site;
}

std::vector<AbstractObject> abstractObjects(const Program &P, const SolverIds &Ids) {
  std::vector<AbstractObject> Objects(Ids.NumObjects);
  for (Index I = 0; I < Ids.NumObjects; ++I) {
    AbstractObject &A = Objects[I];
    A.K = I >= Ids.KeyCell                            ? AbstractObject::Private
          : I >= Ids.FirstHeap                        ? AbstractObject::Heap
          : P.Objects[I].Kind == ObjectKind::Variable ? AbstractObject::Variable
          : P.Objects[I].Kind == ObjectKind::Function ? AbstractObject::Function
                                                      : AbstractObject::Stack;
    A.Source = I >= Ids.KeyCell ? None : I >= Ids.FirstHeap ? I - Ids.FirstHeap : I;
  }
  return Objects;
}

/// A copy made for a context that is not active after all was entered for a while, or not: its values say nothing.
static void clearInactiveCopies(const Program &P, Solution &S) {
  std::vector<bool> Shared(P.ValueNames.size(), false);
  for (Index I : P.GlobalConstraints)
    if (P.Constraints[I].Dst != None)
      Shared[P.Constraints[I].Dst] = true;
  auto Clear = [&](Index V) {
    if (V != None && !Shared[V])
      S.clearValue(V);
  };
  for (const auto &[CallAndFunction, Copy] : P.Clones) {
    if (S.Active[Copy])
      continue;
    const Function &F = P.Functions[Copy];
    for (Index V : F.Params)
      Clear(V);
    Clear(F.Result);
    Clear(F.Varargs);
    for (Index I = F.FirstConstraint; I < F.LastConstraint; ++I) {
      Clear(P.Constraints[I].Dst);
      if (P.Constraints[I].Kind != ConstraintKind::AddressOf)
        Clear(P.Constraints[I].Src);
    }
    for (Index I = F.FirstCall; I < F.LastCall; ++I) {
      Clear(P.Calls[I].Result);
      Clear(P.Calls[I].Callee);
      for (const CallArg &A : P.Calls[I].Args)
        Clear(A.Value);
    }
  }
  llvm::DenseSet<Index> Inactive;
  for (const auto &[CallAndFunction, Copy] : P.Clones)
    if (!S.Active[Copy])
      Inactive.insert(Copy);
  std::vector<bool> Gone(S.Objects.size(), false);
  for (Index O = 0; O < P.Objects.size(); ++O)
    Gone[O] = P.Objects[O].Kind == ObjectKind::Stack && Inactive.contains(P.Objects[O].Function);
  if (!Inactive.empty())
    S.forgetObjects(Gone);
}

void finishSolution(const Program &P, Solution &S) {
  clearInactiveCopies(P, S);
  SolverIds Ids(P);
  std::vector<Index> NewId(S.Objects.size(), None);
  Index Next = 0;
  for (Index O = 0; O < S.Objects.size(); ++O)
    if (O < Ids.FirstHeap || O >= Ids.KeyCell || S.HeapObject[O - Ids.FirstHeap] != None)
      NewId[O] = Next++;
  S.renumberObjects(NewId);
  auto Key = [](const ThreadRoot &R) { return std::tie(R.Value, R.Code, R.Call); };
  std::sort(S.Roots.begin(), S.Roots.end(), [&](const auto &A, const auto &B) { return Key(A) < Key(B); });
  S.Roots.erase(std::unique(S.Roots.begin(), S.Roots.end(), [&](const auto &A, const auto &B) { return Key(A) == Key(B); }),
                S.Roots.end());
}

} // namespace freehold
