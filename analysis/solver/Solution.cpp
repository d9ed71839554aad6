// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solution.cpp - the questions one may ask of a solution, and how a solver puts one together.
#include "solver/Solver.h"
#include <algorithm>

namespace freehold {

const Offsets *PointsTo::where(Index Object) const {
  static const Offsets Anywhere{0, 1, 0, 0};
  auto It = std::lower_bound(Known.begin(), Known.end(), Object, [](const Target &T, Index O) { return T.Object < O; });
  if (It != Known.end() && It->Object == Object)
    return &It->Where;
  return External && S.Objects[Object].Escaped ? &Anywhere : nullptr;
}

bool Solution::holds(Index Holder, Index Object) const {
  if (std::binary_search(Contents[Holder].begin(), Contents[Holder].end(), Object))
    return true;
  return ContentsExternal[Holder] && Objects[Object].Escaped;
}

void Solution::setContents(Index Object, std::vector<Index> Known, bool HoldsExternal) {
  Contents.resize(Objects.size());
  ContentsExternal.resize(Objects.size());
  if (HoldsExternal)
    Known.erase(std::remove_if(Known.begin(), Known.end(), [&](Index O) { return Objects[O].Escaped; }), Known.end());
  Contents[Object] = std::move(Known);
  ContentsExternal[Object] = HoldsExternal;
}

llvm::ArrayRef<Index> Solution::pointedTo(Index Value) const {
  if (Value + 1 >= BeforeBegin.size())
    return {};
  return llvm::ArrayRef<Index>(Before).slice(BeforeBegin[Value], BeforeBegin[Value + 1] - BeforeBegin[Value]);
}

void Solution::setPointedTo(std::vector<std::pair<Index, Index>> Pairs) {
  std::sort(Pairs.begin(), Pairs.end());
  Pairs.erase(std::unique(Pairs.begin(), Pairs.end()), Pairs.end());
  BeforeBegin.assign(numValues() + 1, 0);
  for (auto [Value, Object] : Pairs) {
    ++BeforeBegin[Value + 1];
    Before.push_back(Object);
  }
  for (size_t V = 0; V < numValues(); ++V)
    BeforeBegin[V + 1] += BeforeBegin[V];
}

void Solution::forgetObjects(const std::vector<bool> &Gone) {
  for (std::vector<Target> &Set : Sets)
    Set.erase(std::remove_if(Set.begin(), Set.end(), [&](const Target &T) { return Gone[T.Object]; }), Set.end());
  for (std::vector<Index> &C : Contents)
    C.erase(std::remove_if(C.begin(), C.end(), [&](Index O) { return Gone[O]; }), C.end());
  for (Index O = 0; O < Gone.size(); ++O)
    if (Gone[O]) {
      Objects[O].Escaped = false;
      setContents(O, {}, false);
    }
}

/// A block that no call makes any more may have been in sets before: nothing that counts put it there, and it goes.
void Solution::renumberObjects(llvm::ArrayRef<Index> NewId) {
  std::vector<AbstractObject> Kept;
  std::vector<std::vector<Index>> KeptContents;
  std::vector<bool> KeptExternal;
  for (Index O = 0; O < NewId.size(); ++O) {
    if (NewId[O] == None)
      continue;
    Kept.push_back(std::move(Objects[O]));
    KeptContents.push_back(std::move(Contents[O]));
    KeptExternal.push_back(ContentsExternal[O]);
  }
  Objects = std::move(Kept);
  Contents = std::move(KeptContents);
  ContentsExternal = std::move(KeptExternal);
  for (std::vector<Index> &C : Contents) {
    for (Index &O : C)
      O = NewId[O];
    C.erase(std::remove(C.begin(), C.end(), None), C.end());
  }
  for (std::vector<Target> &Set : Sets) {
    for (Target &T : Set)
      T.Object = NewId[T.Object];
    Set.erase(std::remove_if(Set.begin(), Set.end(), [](const Target &T) { return T.Object == None; }), Set.end());
  }
  std::vector<std::pair<Index, Index>> Pairs;
  for (size_t V = 0; V + 1 < BeforeBegin.size(); ++V)
    for (Index O : pointedTo(V))
      if (NewId[O] != None)
        Pairs.push_back({V, NewId[O]});
  Before.clear();
  setPointedTo(std::move(Pairs));
  for (Index &O : HeapObject)
    O = O == None ? None : NewId[O];
}

} // namespace freehold
