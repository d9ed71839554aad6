// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WitnessText.cpp - a path of states as steps in the words of the source. Steps that only move a value between names the
// programmer never wrote say nothing and are left out.

#include "Reasons.h"
#include "escape/WitnessSearch.h"

using namespace llvm;

namespace freehold {

/// Without a place of its own a step happens where the one before it did.
Step WitnessFinder::step(const SourceLoc &L, std::string What, const Step *Before) const {
  if ((L.File == None || !L.Line) && Before)
    return {Before->File, Before->Line, Before->Column, std::move(What)};
  return {N.file(L.File), L.Line, L.Column, std::move(What)};
}

/// The function a call starts as a thread: the first function argument.
std::string WitnessFinder::threadEntry(Index Call) const {
  if (Call == None)
    return "";
  for (const CallArg &A : P.Calls[Call].Args)
    if (A.Value != None)
      for (const Target &T : S.pointsTo(A.Value).known())
        if (S.Objects[T.Object].K == AbstractObject::Function) {
          const Object &O = P.Objects[S.Objects[T.Object].Source];
          if (O.Symbol != None && !P.Definitions[O.Symbol].empty())
            return N.function(P.Definitions[O.Symbol][0]);
          return P.str(O.Name);
        }
  return "";
}

std::string WitnessFinder::describe(const State &At, const State &From, Index Here, SourceLoc &Loc) const {
  auto Held = [&](const State &X) { return N.value(X.Memory ? None : X.Node, X.Object, Here); };
  auto InMemory = [&](const State &X, Index Pointer) { return N.memory(X.Node, pointsTo(S, Pointer, X.Node)); };
  bool Named = !At.Memory && N.hasName(At.Node);
  switch (At.How) {
  case Edge::Start:
    return "";
  case Edge::Follow:
    return "";
  case Edge::Move:
    Loc = P.Constraints[At.Which].Loc;
    return Named && Held(At) != Held(From) ? Held(From) + " is copied to " + Held(At) : "";
  case Edge::Stored:
    Loc = P.Constraints[At.Which].Loc;
    return Held(From) + " is stored in " + InMemory(At, P.Constraints[At.Which].Dst);
  case Edge::Read:
    Loc = P.Constraints[At.Which].Loc;
    return (Named ? Held(At) + " is read from " : Held(At) + " is read back from ") + InMemory(From, P.Constraints[At.Which].Src);
  case Edge::MemoryCopied:
    Loc = P.Constraints[At.Which].Loc;
    return N.object(From.Node) + " is copied to " + N.object(At.Node);
  case Edge::Passed:
    Loc = P.Calls[At.Which].Loc;
    return Held(From) + " is passed to " + (Named ? "parameter " + Held(At) + " of " : "") + N.function(At.Callee);
  case Edge::Returned:
    Loc = P.Calls[At.Which].Loc;
    return Held(From) + " is returned by " + N.function(At.Callee) + " to " + N.function(P.Calls[At.Which].Function);
  case Edge::ThroughCall:
    Loc = P.Calls[At.Which].Loc;
    return Held(From) + " comes back from " + N.callee(At.Which);
  case Edge::StoredByCall:
    Loc = P.Calls[At.Which].Loc;
    return Held({At.Object, From.Memory ? None : From.Node, From.Memory, 0, Edge::Start, None, None}) + " is stored in " +
           N.object(At.Node) + " by " + N.callee(At.Which);
  }
  return "";
}

std::string WitnessFinder::describeEnd(const State &At, const Ending &E, Index Here, SourceLoc &Loc) const {
  std::string Held = N.value(At.Memory ? None : At.Node, At.Object, Here);
  std::string Why = reasonText(At, E);
  switch (E.Kind) {
  case End::NoEnd:
  case End::Global:
    return "";
  case End::ThreadRoot: {
    const ThreadRoot &T = S.Roots[E.Which];
    Loc = T.Loc;
    std::string Entry = threadEntry(T.Call);
    if (T.Code == 102)
      return Held + " is the argument of thread " + (Entry.empty() ? "started here" : Entry);
    if (T.Code == 103)
      return Held + " is a thread's result";
    return Held + " is " + Why;
  }
  case End::Escape:
  case End::EscapeStore:
    Loc = P.Constraints[E.Which].Loc;
    return Held + " is " + (E.Kind == End::EscapeStore ? "stored through a pointer from outside the program" : Why);
  case End::EscapeCall:
    Loc = P.Calls[E.Which].Loc;
    return Held + " is " + Why;
  case End::Exported:
    Loc = P.Functions[E.Which].Loc;
    return Held + " is returned by " + N.function(E.Which) + ", which the outside may call";
  case End::Narrow:
    Loc = P.Constraints[E.Which].Loc;
    return "the address in " + N.object(At.Node) + " is read in pieces";
  }
  return "";
}

std::string WitnessFinder::reasonText(const State &At, const Ending &E) const {
  if (E.Kind == End::Global)
    return "stored in " + N.object(E.Which);
  if (E.Kind == End::ThreadRoot && !S.Roots[E.Which].Text.empty())
    return S.Roots[E.Which].Text;
  const AbstractObject &O = S.Objects[At.Object];
  if (O.Escaped && O.EscapeCode == E.Code && !O.EscapeText.empty())
    return O.EscapeText;
  const ReasonInfo *Info = findReason(E.Code);
  return Info ? Info->Meaning : "not understood";
}

std::vector<Step> WitnessFinder::tell(const Search &Q, uint32_t Last, const Ending &E, Index Call) const {
  std::vector<uint32_t> Order;
  for (uint32_t I = Last; I != UINT32_MAX; I = Q.States[I].Prev)
    Order.push_back(I);
  Index Here = S.HeapObject[Call];
  std::vector<Step> Path;
  Step Before = step(P.Calls[Call].Loc, "", nullptr);
  auto Add = [&](const SourceLoc &L, std::string What) {
    if (What.empty())
      return;
    Path.push_back(step(L, std::move(What), &Before));
    Before = Path.back();
  };
  for (size_t K = Order.size(); K-- > 0;) {
    const State &At = Q.States[Order[K]];
    const State &From = At.Prev == UINT32_MAX ? At : Q.States[At.Prev];
    SourceLoc Loc;
    std::string What = describe(At, From, Here, Loc);
    Add(Loc, std::move(What));
  }
  SourceLoc Loc;
  std::string What = describeEnd(Q.States[Last], E, Here, Loc);
  Add(Loc, std::move(What));
  return Path;
}

} // namespace freehold
