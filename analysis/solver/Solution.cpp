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
  for (Index &O : HeapObject)
    O = O == None ? None : NewId[O];
}

} // namespace freehold
