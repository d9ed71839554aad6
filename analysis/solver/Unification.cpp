// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unification.cpp - see Unification.h.
#include "solver/Unification.h"
#include "solver/Effects.h"
#include <algorithm>

namespace freehold {

Unification::Unification(const Program &P, const SolverOptions &O, Index NumValues, Index NumObjects, CallRules &Told)
    : P(P), O(O), Told(Told), EscapeCauses(NumObjects, None) {
  Outside = newClass();
  Classes[Outside].Contents = Outside;
  for (Index V = 0; V < NumValues; ++V)
    Pointees.push_back(newClass());
  for (Index Object = 0; Object < NumObjects; ++Object) {
    Where.push_back(newClass());
    Classes.back().Objects.push_back(Object);
  }
}

Index Unification::newClass() {
  Classes.emplace_back();
  return Classes.size() - 1;
}

Index Unification::newTemporary(Index) {
  Pointees.push_back(newClass());
  return Pointees.size() - 1;
}

Index Unification::find(Index C) const {
  while (Classes[C].Parent != None) {
    if (Index Above = Classes[Classes[C].Parent].Parent; Above != None)
      Classes[C].Parent = Above; // halves the path
    C = Classes[C].Parent;
  }
  return C;
}

Index Unification::contents(Index C) {
  C = find(C);
  if (Classes[C].Contents == None) {
    Index New = newClass();
    Classes[C].Contents = New;
  }
  return Classes[C].Contents;
}

Index Unification::copy(Index To, Index From, uint64_t, SourceLoc, NodeName, Index) {
  Copies.push_back({contents(Pointees[From]), contents(Pointees[To])});
  join(Copies.back().first, Copies.back().second, None);
  return Copies.size() - 1;
}

void Unification::copyUnknown(Index Copy, bool, bool) { join(Copies[Copy].first, Outside, None); }

void Unification::callThrough(Index Callee, Index Site) {
  Class &C = Classes[find(Pointees[Callee])];
  C.Sites.push_back(Site);
  for (Index Object : C.Objects)
    if (isFunction(Object))
      Calls.push_back({Site, Object});
  if (isExternal(Callee))
    Calls.push_back({Site, None});
}

/// The object is outside from now on.
void Unification::enter(Index Object, Index Cause) {
  if (EscapeCauses[Object] != None)
    return;
  EscapeCauses[Object] = Cause != None ? Cause : cause(204, {}, causeText(204, ""));
  if (isFunction(Object))
    EscapedFunctions.push_back({Object, EscapeCauses[Object]});
}

void Unification::unite(const Join &J) {
  Index A = find(J.A), B = find(J.B);
  if (A == B)
    return;
  Index Out = find(Outside);
  if (B == Out || (A != Out && Classes[A].Size < Classes[B].Size))
    std::swap(A, B); // A stays
  bool ToOutside = A == Out;
  Class &Into = Classes[A], &Gone = Classes[B];
  Work += 1 + Gone.Objects.size() + Gone.Sites.size();
  Gone.Parent = A;
  Into.Size += Gone.Size;
  if (ToOutside) {
    for (Index Object : Gone.Objects)
      enter(Object, J.Cause);
    for (Index Site : Gone.Sites)
      Calls.push_back({Site, None});
  } else {
    auto Meet = [&](const Class &X, const Class &Y) {
      for (Index Object : X.Objects)
        if (isFunction(Object))
          for (Index Site : Y.Sites)
            Calls.push_back({Site, Object});
    };
    Meet(Into, Gone);
    Meet(Gone, Into);
    Into.Objects.insert(Into.Objects.end(), Gone.Objects.begin(), Gone.Objects.end());
    Into.Sites.insert(Into.Sites.end(), Gone.Sites.begin(), Gone.Sites.end());
    if (Into.Objects.size() > O.SetLimit) {
      ++Saturated;
      join(A, Outside, cause(210, {}, causeText(210, "")));
    }
  }
  Gone.Objects = {};
  Gone.Sites = {};
  Index Held = Gone.Contents;
  if (Into.Contents == None)
    Into.Contents = Held;
  else if (Held != None)
    join(Into.Contents, Held, J.Cause);
}

bool Unification::step() {
  ++Steps;
  if (!Joins.empty()) {
    Join J = Joins.front();
    Joins.pop_front();
    unite(J);
  } else if (!EscapedFunctions.empty()) {
    auto [Object, Cause] = EscapedFunctions.front();
    EscapedFunctions.pop_front();
    Told.escapedFunction(Object, Cause);
  } else if (!Calls.empty()) {
    auto [Site, Object] = Calls.front();
    Calls.pop_front();
    Object == None ? Told.callExternal(Site) : Told.callFunction(Site, Object);
  } else {
    return false;
  }
  return true;
}

void Unification::extract(Solution &S, Index NumValues) const {
  std::vector<std::vector<Index>> Sorted(Classes.size());
  for (Index C = 0; C < Classes.size(); ++C) {
    Sorted[C] = Classes[C].Objects;
    std::sort(Sorted[C].begin(), Sorted[C].end());
  }
  for (Index V = 0; V < NumValues; ++V) {
    std::vector<Target> Known;
    for (Index Object : Sorted[find(Pointees[V])])
      Known.push_back({Object, isFunction(Object) ? Offsets() : Offsets{0, 1, 0, 0}});
    S.addValue(std::move(Known), isExternal(V));
  }
  for (Index Object = 0; Object < S.Objects.size(); ++Object) {
    Index Held = Classes[find(Where[Object])].Contents;
    bool External = Held != None && find(Held) == find(Outside);
    S.setContents(Object, Held == None || External ? std::vector<Index>() : Sorted[find(Held)], External || escaped(Object));
  }
  S.Stats.Nodes = Classes.size();
  S.Stats.Steps = Steps;
  S.Stats.Work = Work;
  S.Stats.Saturated = Saturated;
}

} // namespace freehold
