// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryBuilder.cpp - drives the builder over a module.
#include "summary/SummaryBuilder.h"
#include "summary/FunctionBuilder.h"

#include "llvm/IR/Constants.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace freehold {
namespace {

/// Locals are values only after SROA. Under -O0 it did not run.
bool needsPromotion(const llvm::Module &M) {
  for (const llvm::Function &F : M)
    if (F.hasOptNone())
      return true;
  return false;
}

std::unique_ptr<llvm::Module> promotedCopy(const llvm::Module &M) {
  std::unique_ptr<llvm::Module> Copy = CloneModule(M);
  FunctionAnalysisManager FAM;
  PassBuilder().registerFunctionAnalyses(FAM);
  for (llvm::Function &F : *Copy)
    if (!F.isDeclaration())
      SROAPass(SROAOptions::PreserveCFG).run(F, FAM);
  FAM.clear();
  return Copy;
}

void markStartAndEnd(const llvm::Module &IR, ModuleBuilder &MB) {
  auto Mark = [&](StringRef List, bool Start) {
    const GlobalVariable *V = IR.getNamedGlobal(List);
    const auto *Entries = V && V->hasInitializer() ? dyn_cast<ConstantArray>(V->getInitializer()) : nullptr;
    if (!Entries)
      return;
    for (const Use &U : Entries->operands()) {
      const auto *Entry = dyn_cast<ConstantStruct>(U);
      const auto *F = Entry ? dyn_cast<llvm::Function>(Entry->getOperand(1)->stripPointerCasts()) : nullptr;
      if (!F)
        continue;
      Symbol &S = MB.Out.Symbols[MB.symbol(*F)];
      if (S.Function == None)
        S.Used = true;
      else
        (Start ? MB.Out.Functions[S.Function].Constructor : MB.Out.Functions[S.Function].Destructor) = true;
    }
  };
  Mark("llvm.global_ctors", true);
  Mark("llvm.global_dtors", false);
}

} // namespace

Module buildSummary(const llvm::Module &M) {
  std::unique_ptr<llvm::Module> Copy;
  if (needsPromotion(M))
    Copy = promotedCopy(M);
  const llvm::Module &IR = Copy ? *Copy : M;
  ModuleBuilder MB(IR);
  MB.summariseSymbols();
  for (const llvm::Function &F : IR)
    if (!F.isDeclaration())
      FunctionBuilder(MB, F).run();
  markStartAndEnd(IR, MB);
  MB.summariseInitialisers();
  MB.Out.FirstGlobalConstraint = MB.Out.Constraints.size();
  MB.Out.Constraints.insert(MB.Out.Constraints.end(), MB.Global.begin(), MB.Global.end());
  return std::move(MB.Out);
}

} // namespace freehold
