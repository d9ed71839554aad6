// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FunctionBuilder.h - constraints of one function body. Private to analysis/summary.
//
// Integers of 64 bits and more carry what they point to, as pointers do: ptrtoint and inttoptr are copies. Two views of such a
// value are kept apart:
//   explicit  the objects its bits came from, as far as this function shows
//   full      the explicit part, and external unless every source of its bits is tracked ("pure"): only the full value may become
//             a pointer again, be stored, passed or returned
// An index added to a pointer uses the explicit view alone (ConstraintKind::Indexed).
#pragma once

#include "summary/ModuleBuilder.h"
#include "summary/SanitizerChecks.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace freehold {

class FunctionBuilder : public llvm::InstVisitor<FunctionBuilder> {
public:
  FunctionBuilder(ModuleBuilder &MB, const llvm::Function &F) : MB(MB), F(F), Checks(F) {}

  /// Appends the function, its constraints, calls and sites to the module.
  void run();

  void visitAllocaInst(llvm::AllocaInst &I);
  void visitLoadInst(llvm::LoadInst &I);
  void visitStoreInst(llvm::StoreInst &I);
  void visitAtomicRMWInst(llvm::AtomicRMWInst &I);
  void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst &I);
  void visitGetElementPtrInst(llvm::GetElementPtrInst &I);
  void visitPHINode(llvm::PHINode &I);
  void visitSelectInst(llvm::SelectInst &I);
  void visitBinaryOperator(llvm::BinaryOperator &I);
  void visitUnaryOperator(llvm::UnaryOperator &I) { hideOperands(I); }
  void visitCastInst(llvm::CastInst &I);
  void visitCmpInst(llvm::CmpInst &I);
  void visitFreezeInst(llvm::FreezeInst &) {}
  void visitExtractValueInst(llvm::ExtractValueInst &I);
  void visitInsertValueInst(llvm::InsertValueInst &I);
  void visitExtractElementInst(llvm::ExtractElementInst &I);
  void visitInsertElementInst(llvm::InsertElementInst &I);
  void visitShuffleVectorInst(llvm::ShuffleVectorInst &I);
  void visitReturnInst(llvm::ReturnInst &I);
  void visitBranchInst(llvm::BranchInst &) {}
  void visitSwitchInst(llvm::SwitchInst &) {}
  void visitIndirectBrInst(llvm::IndirectBrInst &) {}
  void visitUnreachableInst(llvm::UnreachableInst &) {}
  void visitFenceInst(llvm::FenceInst &) {}
  void visitLandingPadInst(llvm::LandingPadInst &I) { becomeExternal(I); }
  void visitCallBase(llvm::CallBase &I);
  /// The default rule: operands escape, the result is external.
  void visitInstruction(llvm::Instruction &I) { notUnderstood(I, CodeNotModelled); }

private:
  ModuleBuilder &MB;
  const llvm::Function &F;
  SanitizerChecks Checks;
  Index Self = None;
  SourceLoc Here;
  llvm::DenseMap<const llvm::Value *, Index> Explicit; ///< SSA value -> explicit view
  llvm::DenseMap<const llvm::Value *, Index> Full;     ///< where it differs
  llvm::DenseMap<const llvm::Value *, Index> Renamed;  ///< pointer copied to another source variable
  /// Answers so far: operands are shared, so without them the questions below cost exponential time. A value in the course of
  /// being asked about is false, which is the careful answer.
  mutable llvm::DenseMap<const llvm::Value *, bool> BitsOnly, Pure;
  Index VarargArea = None; ///< object

  bool tracked(const llvm::Value *V) const { return isTracked(V->getType(), MB.DL); }
  bool findPure(const llvm::Value *V, unsigned Depth) const;
  bool integerLike(const llvm::Value *V) const;
  bool pure(const llvm::Value *V, unsigned Depth = 0) const;
  static bool keepsLowBits(const llvm::Instruction &I);
  bool findBitsOnly(const llvm::Value *V) const;
  bool bitsOnly(const llvm::Value *V) const; ///< instruction whose result keeps no trace of pointers
  Index own(const llvm::Value *V);           ///< explicit view of an instruction's own result: what its constraints are about
  Index explicitView(const llvm::Value *V);
  Index fullView(const llvm::Value *V);

  Constraint &add(ConstraintKind K, Index Dst, Index Src);
  void copy(Index Dst, Index Src);
  void displace(Index Dst, Index Src, Displacement D);
  void anywhere(Index Dst, Index Src) { displace(Dst, Src, {0, 1, 0}); }
  void escape(const llvm::Value *V, ReasonCode Code);
  using DistanceList = llvm::SmallVector<std::pair<const llvm::Value *, const llvm::Value *>, 4>;
  bool distance(const llvm::Value *V, llvm::SmallPtrSetImpl<const llvm::Value *> &Seen, DistanceList &Found) const;
  bool hideDistance(const llvm::Value *V);
  void hide(const llvm::Value *V);
  void hideOperands(llvm::Instruction &I);
  void assume(llvm::StringRef Text); ///< counts a use of FH902
  void becomeExternal(const llvm::Value &V);
  void notUnderstood(llvm::Instruction &I, ReasonCode Code);
  void read(const llvm::Value *Result, llvm::Type *T, Index Address);
  void zero(Index Address, uint64_t Width);
  void write(Index Address, const llvm::Value *V);
  Index addressOf(Index Object, Displacement D = {});
  Index stackObject(std::optional<uint64_t> Size);

  void names(llvm::Instruction &I);
  void name(const llvm::Value *V, const llvm::DILocalVariable *Variable);
  void declareParameters();
  void bindAllocas();
  bool gepStep(Index &Base, Displacement &Pending);

  // CallBuilder.cpp
  void asmCall(llvm::CallBase &I);
  bool intrinsic(llvm::IntrinsicInst &I);
  bool memoryIntrinsic(llvm::IntrinsicInst &I);
  void vaStart(llvm::IntrinsicInst &I);
  void ordinaryCall(llvm::CallBase &I);
  CallArg argument(llvm::CallBase &I, unsigned N);
  void site(llvm::CallBase &I, Index Call);
};

} // namespace freehold
