// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SiteNames.cpp - the life of a distinct callee: made at the early point, undone before the bitcode is written.

#include "SiteNames.h"
#include "Allocation.h"
#include "summary/SummaryBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace freehold {

static llvm::Function *renamable(const CallBase &Call) {
  if (!Call.getAttributes().hasFnAttr(SiteAttribute) || Call.isNoBuiltin())
    return nullptr;
  llvm::Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->getName() != allocationFunction(Call))
    return nullptr;
  // Operator new keeps its name: LLVM folds it into nothing else, calls with other ids are not merged, and alias analysis goes by
  // the name alone, so that a renamed one would cost loads, and native code equal to a plain compile's.
  const AllocationFunction *A = findAllocation(Callee->getName());
  return A && A->Of != Family::New ? Callee : nullptr;
}

bool renameSites(llvm::Module &M) {
  SmallVector<std::pair<CallBase *, llvm::Function *>, 16> Calls;
  for (llvm::Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (llvm::Function *Callee = renamable(*Call))
          Calls.push_back({Call, Callee});
  SmallVector<GlobalValue *, 4> Keep;
  for (auto [Call, Callee] : Calls) {
    llvm::Function *Site = declareLike(*Callee, (SitePrefix + Callee->getName()).str());
    if (!Site)
      continue;
    Call->setCalledFunction(Site);
    if (!is_contained(Keep, Callee))
      Keep.push_back(Callee);
  }
  if (!Keep.empty())
    appendToCompilerUsed(M, Keep);
  return !Keep.empty();
}

static llvm::Function *plainFunction(llvm::Function &Site) {
  StringRef Name = Site.getName().drop_front(StringRef(SitePrefix).size());
  llvm::Module &M = *Site.getParent();
  if (auto *F = dyn_cast_or_null<llvm::Function>(M.getNamedValue(Name)))
    return F;
  // The optimiser may have dropped an unused declaration.
  return declareLike(Site, Name);
}

bool restoreSites(llvm::Module &M) {
  SmallVector<llvm::Function *, 4> Sites;
  SmallSetVector<llvm::Function *, 4> Kept;
  for (llvm::Function &F : M)
    if (F.getName().starts_with(SitePrefix) && F.isDeclaration())
      Sites.push_back(&F);
  for (llvm::Function *Site : Sites) {
    llvm::Function *Plain = Site->use_empty() ? nullptr : plainFunction(*Site);
    if (!Plain && !Site->use_empty())
      continue;
    if (Plain)
      Site->replaceAllUsesWith(Plain);
    Site->eraseFromParent();
  }
  // `used` on a declaration means nothing in source code, so such an entry is ours.
  removeFromUsedLists(M, [&](Constant *C) {
    auto *F = dyn_cast<llvm::Function>(C->stripPointerCasts());
    return F && F->isDeclaration() && findAllocation(F->getName()) && (Kept.insert(F), true);
  });
  for (llvm::Function *F : Kept) // all its calls were optimised away: a symbol table must not name it
    if (F->use_empty())
      F->eraseFromParent();
  return !Sites.empty() || !Kept.empty();
}

bool stripMarks(llvm::Module &M) {
  for (llvm::Function &F : M) {
    F.removeFnAttr(FunctionTagAttribute);
    F.removeFnAttr(CheckAttribute);
    F.removeFnAttr(OwnAttribute);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Call->removeFnAttr(SiteAttribute);
  }
  for (const char *Name : {SummaryMetadata, CheckMetadata})
    if (NamedMDNode *Node = M.getNamedMetadata(Name))
      Node->eraseFromParent();
  return true;
}

} // namespace freehold
