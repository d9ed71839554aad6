// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InlineFastPath.cpp - the pop of abi.h, written out where the size is constant.
//
//     head = &fh_heads[c + 1]                  executable: one displacement from the thread pointer
//     b = *head; if (!b) slow                  c is the size class, known here
//     *head = *(void **)b                      a free block's first word is the next one
//
// It runs after all other optimisation, so that LLVM has seen plain allocation calls until then: dead pairs are gone. In a shared
// library the heads are behind a thread-local pointer, null before the thread's first slow path. It is loaded at every site: a
// function may go on on another stack's thread behind any call it does not know, so that nothing may be kept over calls.

#include "InlineFastPath.h"
#include "freehold/abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <optional>

using namespace llvm;

namespace freehold {
namespace {

/// One call that can be expanded.
struct FastSite {
  CallBase *Call;
  uint64_t Size;
  bool Zeroed;     ///< calloc: the popped block is cleared, the slow path clears its own
  bool SlowBySize; ///< the slow path is the call itself; else fh_tls_malloc_class
};

std::optional<uint64_t> constantArgument(const CallBase &Call, unsigned N) {
  const auto *V = dyn_cast<ConstantInt>(Call.getArgOperand(N));
  if (!V || V->getValue().ugt(FH_CLASSED_MAX))
    return std::nullopt;
  return V->getZExtValue();
}

std::optional<FastSite> fastSite(CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.isMustTailCall() || Call.hasOperandBundles() || isa<CallBrInst>(Call))
    return std::nullopt;
  StringRef Name = Callee->getName();
  std::optional<uint64_t> Size;
  if (Name == "fh_tls_malloc" || Name == "fh_tls_new")
    Size = constantArgument(Call, 0);
  else if (Name == "fh_tls_calloc") {
    auto N = constantArgument(Call, 0), Each = constantArgument(Call, 1);
    if (N && Each && *N * *Each <= FH_CLASSED_MAX)
      Size = *N * *Each;
  }
  if (!Size)
    return std::nullopt;
  return FastSite{&Call, *Size, Name == "fh_tls_calloc", Name != "fh_tls_malloc" || isa<InvokeInst>(Call)};
}

class FastPath {
public:
  FastPath(Module &M, bool Shared) : M(M), Shared(Shared), Ptr(PointerType::getUnqual(M.getContext())) {}
  unsigned run();

private:
  Module &M;
  bool Shared;
  PointerType *Ptr;
  GlobalVariable *Heads = nullptr;

  void declareHeads();
  void requireLayout();
  void expand(const FastSite &S);
  MDNode *unlikely() { return MDBuilder(M.getContext()).createBranchWeights(1, 2000); }
};

} // namespace

void FastPath::declareHeads() {
  StringRef Name = Shared ? "fh_heads_base" : "fh_heads";
  Type *T = Shared ? static_cast<Type *>(Ptr) : ArrayType::get(Ptr, FH_CLASS_COUNT + 1);
  Heads = cast<GlobalVariable>(M.getOrInsertGlobal(Name, T));
  Heads->setThreadLocalMode(Shared ? GlobalValue::InitialExecTLSModel : GlobalValue::LocalExecTLSModel);
  Heads->setDSOLocal(!Shared);
}

/// A pointer to fh_layout_3 that survives: a libfreehold of another layout fails to link or load.
void FastPath::requireLayout() {
  auto *Layout = cast<GlobalVariable>(M.getOrInsertGlobal("fh_layout_3", Type::getInt8Ty(M.getContext())));
  auto *Reference = new GlobalVariable(M, Ptr, /*isConstant=*/true, GlobalValue::InternalLinkage, Layout, "fh_layout_reference");
  Reference->setSection(".data.rel.ro.fh_layout");
  appendToUsed(M, {Reference});
}

/// Before: `r = call f(size)` in block A. After: A tests and branches to Pop or Slow, both go to Done, which begins with the phi.
void FastPath::expand(const FastSite &S) {
  CallBase *Call = S.Call;
  if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
    if (Call->doesNotThrow()) {
      Call = changeToCall(Invoke);
    } else {
      // The normal edge gets a block of its own: Done.
      BasicBlock *Done = BasicBlock::Create(M.getContext(), "fh.done", Invoke->getFunction(), Invoke->getNormalDest());
      Invoke->getNormalDest()->replacePhiUsesWith(Invoke->getParent(), Done);
      IRBuilder<>(Done).CreateBr(Invoke->getNormalDest());
      Invoke->setNormalDest(Done);
    }
  }
  auto *Invoke = dyn_cast<InvokeInst>(Call);
  BasicBlock *A = Call->getParent();
  BasicBlock *Slow = A->splitBasicBlock(Call->getIterator(), "fh.slow");
  BasicBlock *Done = Invoke ? Invoke->getNormalDest() : Slow->splitBasicBlock(std::next(Call->getIterator()), "fh.done");
  BasicBlock *Pop = BasicBlock::Create(M.getContext(), "fh.pop", A->getParent(), Slow);

  uint32_t Class = fh_class_of(S.Size);
  Instruction *End = A->getTerminator();
  IRBuilder<> B(End);
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  Value *Base = B.CreateThreadLocalAddress(Heads);
  if (Shared) {
    Base = B.CreateLoad(Ptr, Base, "fh.base");
    BasicBlock *Test = BasicBlock::Create(M.getContext(), "fh.test", A->getParent(), Pop);
    B.CreateCondBr(B.CreateIsNull(Base), Slow, Test, unlikely());
    B.SetInsertPoint(Test);
  }
  Value *Head = B.CreateConstInBoundsGEP1_64(Ptr, Base, Class + 1, "fh.head");
  Value *Block = B.CreateLoad(Ptr, Head, "fh.block");
  B.CreateCondBr(B.CreateIsNull(Block), Slow, Pop, unlikely());
  End->eraseFromParent();

  B.SetInsertPoint(Pop);
  // Once more, so that the address is folded into the store instead of kept in a register.
  if (!Shared)
    Head = B.CreateConstInBoundsGEP1_64(Ptr, B.CreateThreadLocalAddress(Heads), Class + 1, "fh.head");
  B.CreateStore(B.CreateLoad(Ptr, Block, "fh.next"), Head);
  if (S.Zeroed)
    B.CreateMemSet(Block, B.getInt8(0), S.Size, MaybeAlign(16));
  B.CreateBr(Done);

  PHINode *Result = PHINode::Create(Ptr, 2, "fh.result");
  Result->insertBefore(Done->begin());
  Result->setDebugLoc(Call->getDebugLoc());
  Call->replaceAllUsesWith(Result);
  Result->addIncoming(Block, Pop);
  if (S.SlowBySize) {
    Call->addFnAttr(Attribute::Cold);
    Result->addIncoming(Call, Slow);
    return;
  }
  B.SetInsertPoint(Call);
  FunctionCallee ByClass = M.getOrInsertFunction("fh_tls_malloc_class", Ptr, B.getInt32Ty());
  CallInst *New = B.CreateCall(ByClass, B.getInt32(Class));
  New->addFnAttr(Attribute::Cold);
  New->setDoesNotThrow();
  New->setDebugLoc(Call->getDebugLoc());
  Result->addIncoming(New, Slow);
  Call->eraseFromParent();
}

unsigned FastPath::run() {
  SmallVector<FastSite, 32> Sites;
  for (Function &F : M)
    if (!F.hasAvailableExternallyLinkage())
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (std::optional<FastSite> S = fastSite(*Call))
            Sites.push_back(*S);
  if (Sites.empty())
    return 0;
  declareHeads();
  requireLayout();
  for (const FastSite &S : Sites)
    expand(S);
  return Sites.size();
}

unsigned inlineFastPaths(Module &M, bool Shared) { return FastPath(M, Shared).run(); }

} // namespace freehold
