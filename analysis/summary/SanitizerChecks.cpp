// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SanitizerChecks.cpp - UBSan's checks compare addresses as numbers and hand them to a handler (see SanitizerChecks.h).
//
// Why they may be passed over. A handler of an out-of-bounds, null, misaligned or overflowing pointer, or of a wrong function
// type, runs only where behaviour is undefined, which verdicts assume away (FH902). So the branch to it always goes the same way:
// nothing is learned from it, nor from the numbers that only decide it. Checks of numbers (overflow of unsigned integers,
// conversions) report what is well defined, and are not among these. The check of a dynamic type asks a cache first: its handler
// runs in correct programs too, but nothing else depends on whether it did, and it keeps and prints nothing then.
//
// Only calls that clang made are taken for handlers: a program may call or define functions of these names, but cannot mark a
// call as not to be sanitised. When such a call is merged with another one the mark is lost, and it is a call like any other.
#include "summary/SanitizerChecks.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace freehold {
namespace {

enum class Handler { None, Wrong, TypeCache };

/// clang's SanitizerHandler: function_type_mismatch, out_of_bounds, pointer_overflow, type_mismatch, alignment_assumption.
bool trapsOnUndefined(const IntrinsicInst &I) {
  const auto *Kind = dyn_cast<ConstantInt>(I.getArgOperand(0));
  return Kind && is_contained({6, 18, 19, 22, 23}, int(Kind->getZExtValue()));
}

Handler handlerOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const llvm::Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !Call->getMetadata(LLVMContext::MD_nosanitize) || !Call->getType()->isVoidTy())
    return Handler::None;
  if (const auto *Trap = dyn_cast<IntrinsicInst>(Call))
    return Trap->getIntrinsicID() == Intrinsic::ubsantrap && trapsOnUndefined(*Trap) ? Handler::Wrong : Handler::None;
  StringRef Name = F->getName();
  if (!Name.consume_front("__ubsan_handle_"))
    return Handler::None;
  Name.consume_back("_abort");
  Name.consume_back("_minimal");
  Name.consume_back("_v1");
  if (is_contained({"type_mismatch", "pointer_overflow", "out_of_bounds", "alignment_assumption", "function_type_mismatch"},
                   Name))
    return Handler::Wrong;
  return Name == "dynamic_type_cache_miss" ? Handler::TypeCache : Handler::None;
}

/// Computes a result and does nothing else.
bool isComputation(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return isa<WithOverflowInst>(Call) || Call->getIntrinsicID() == Intrinsic::objectsize;
  return isa<BinaryOperator, CmpInst, CastInst, SelectInst, FreezeInst, ExtractValueInst, GetElementPtrInst>(I);
}

} // namespace

SanitizerChecks::SanitizerChecks(const llvm::Function &F) {
  for (const BasicBlock &B : F) {
    Handler Kind = Handler::None;
    bool Alone = true, Before = true;
    for (const Instruction &I : B) {
      Handler Found = handlerOf(I);
      if (Found != Handler::None) {
        Handlers.insert(&I);
        Kind = Before ? Found : Kind;
        Before = false;
      } else if (!I.isTerminator() && !isComputation(I) && !isa<PHINode, DbgInfoIntrinsic>(I))
        Alone = Before = false;
    }
    if (Kind == Handler::Wrong)
      Wrong.insert(&B);
    else if (Kind == Handler::TypeCache && Alone)
      WithoutEffect.insert(&B);
  }
}

/// A branch that goes one way only, or around something that has no effect.
bool SanitizerChecks::decidesNothing(const Instruction &Terminator) const {
  const auto *Branch = dyn_cast<BranchInst>(&Terminator);
  if (!Branch || !Branch->isConditional())
    return false;
  for (unsigned N : {0u, 1u}) {
    const BasicBlock *To = Branch->getSuccessor(N), *Other = Branch->getSuccessor(1 - N);
    if (Wrong.contains(To))
      return true;
    if (WithoutEffect.contains(To) &&
        (isa<UnreachableInst>(To->getTerminator()) || (To->getSingleSuccessor() == Other && Other->phis().empty())))
      return true;
  }
  return false;
}

bool SanitizerChecks::only(const Instruction &I) {
  if (Handlers.empty())
    return false;
  if (Handlers.contains(&I))
    return true;
  if (!isComputation(I)) // one whose result is not used any more, what folding left of a check, is passed over too
    return false;
  auto [It, New] = Answers.try_emplace(&I, false); // in the course of being asked about: false, the careful answer
  if (!New)
    return It->second;
  bool Answer = all_of(I.users(), [&](const User *U) {
    const auto *Used = cast<Instruction>(U);
    return Handlers.contains(Used) || (Used->isTerminator() ? decidesNothing(*Used) : only(*Used));
  });
  return Answers[&I] = Answer;
}

} // namespace freehold
