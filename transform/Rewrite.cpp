// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrite.cpp - verdicts given on the summary, applied to optimised code by id.
//
// A call may have been copied (inlining, unrolling): each copy keeps its id and gets the same answer. It may be gone: then
// nothing is to be done. It can never be two calls merged into one, since ids are part of a call's identity. Realloc needs no
// more than the others: the local one takes a block of either heap.

#include "Rewrite.h"
#include "Allocation.h"
#include "summary/SummaryBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace freehold {

uint64_t siteId(const CallBase &Call) {
  uint64_t Id = 0;
  Attribute A = Call.getAttributes().getFnAttr(SiteAttribute);
  if (!A.isValid() || A.getValueAsString().getAsInteger(16, Id))
    return 0;
  return Id;
}

Conservation countIds(const llvm::Module &M, const DenseMap<uint64_t, bool> &Known) {
  Conservation C;
  for (const llvm::Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (uint64_t Id = siteId(*Call)) {
        ++C.Copies[Id];
        C.Foreign += !Known.count(Id);
      } else if (F.hasFnAttribute(OwnAttribute) && !allocationFunction(*Call).empty()) {
        ++C.WithoutId;
      }
    }
  return C;
}

static bool allowed(const AllocationFunction &A, Families F) { return A.Local && (A.Of == Family::Malloc ? F.Malloc : F.New); }

DenseMap<uint64_t, unsigned> rewriteSites(llvm::Module &M, const DenseMap<uint64_t, bool> &Local, Families F) {
  SmallVector<std::pair<CallBase *, llvm::Function *>, 32> Calls;
  DenseMap<uint64_t, unsigned> Copies;
  for (llvm::Function &Caller : M)
    for (Instruction &I : instructions(Caller)) {
      auto *Call = dyn_cast<CallBase>(&I);
      uint64_t Id = Call ? siteId(*Call) : 0;
      if (!Id || !Local.lookup(Id))
        continue;
      llvm::Function *Callee = Call->getCalledFunction();
      const AllocationFunction *A = Callee && Callee->isDeclaration() ? findAllocation(Callee->getName()) : nullptr;
      // -fno-builtin and direct calls of ::operator new bind the compiler, which does not know whose function it will be. Here it
      // is known: allowed() says that no part of the link replaces it.
      if (!A || !allowed(*A, F))
        continue;
      Calls.push_back({Call, Callee});
    }
  for (auto [Call, Callee] : Calls) {
    StringRef Name = Callee->getName();
    const AllocationFunction *A = findAllocation(Name);
    llvm::Function *Target = declareLike(*Callee, A->Local);
    if (!Target)
      continue;
    ++Copies[siteId(*Call)];
    // Plain and array new share a twin but not a family.
    if (A->Of == Family::New)
      Call->addFnAttr(Attribute::get(M.getContext(), "alloc-family", newFamily(Name)));
    Call->setCalledFunction(Target);
  }
  return Copies;
}

} // namespace freehold
