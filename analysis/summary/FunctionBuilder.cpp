// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FunctionBuilder.cpp - instructions other than calls.
#include "summary/FunctionBuilder.h"
#include "summary/SummaryBuilder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include <numeric>

using namespace llvm;

namespace freehold {

void FunctionBuilder::visitAllocaInst(AllocaInst &I) {
  std::optional<uint64_t> Size;
  if (auto S = I.getAllocationSize(MB.DL); S && !S->isScalable())
    Size = S->getFixedValue();
  Index O = stackObject(Size);
  Index V = own(&I);
  add(ConstraintKind::AddressOf, V, O);
  if (F.isPresplitCoroutine()) // the frame may move to another thread
    add(ConstraintKind::Escape, None, V).Code = CodeStackSwitch;
}

void FunctionBuilder::visitLoadInst(LoadInst &I) {
  if (I.getPointerAddressSpace() != 0)
    return becomeExternal(I);
  read(&I, I.getType(), explicitView(I.getPointerOperand()));
}

void FunctionBuilder::visitStoreInst(StoreInst &I) {
  if (I.getPointerAddressSpace() != 0)
    return escape(I.getValueOperand(), CodeNotModelled);
  write(explicitView(I.getPointerOperand()), I.getValueOperand());
}

void FunctionBuilder::visitAtomicRMWInst(AtomicRMWInst &I) {
  if (I.getPointerAddressSpace() != 0)
    return notUnderstood(I, CodeNotModelled);
  Index Address = explicitView(I.getPointerOperand());
  read(&I, I.getType(), Address);
  write(Address, I.getValOperand());
  if (Address == None || !tracked(&I) || I.getOperation() == AtomicRMWInst::Xchg)
    return;
  // The new word is made of the old one and the operand.
  Index Mixed = MB.newValue();
  anywhere(Mixed, own(&I));
  anywhere(Mixed, fullView(I.getValOperand()));
  add(ConstraintKind::Store, Address, Mixed).Width = MB.DL.getTypeStoreSize(I.getType());
}

void FunctionBuilder::visitAtomicCmpXchgInst(AtomicCmpXchgInst &I) {
  if (I.getPointerAddressSpace() != 0)
    return notUnderstood(I, CodeNotModelled);
  Index Address = explicitView(I.getPointerOperand());
  Type *T = I.getNewValOperand()->getType();
  if (Address == None)
    return;
  if (isTracked(T, MB.DL))
    add(ConstraintKind::Load, own(&I), Address).Width = MB.DL.getTypeStoreSize(T);
  else
    add(ConstraintKind::NarrowLoad, None, Address).Width = MB.DL.getTypeStoreSize(T);
  write(Address, I.getNewValOperand());
}

/// Ends a run of constant and variable indices: the address so far becomes a value of its own.
bool FunctionBuilder::gepStep(Index &Base, Displacement &Pending) {
  if (Pending.Offset == 0 && Pending.Stride == 0 && Pending.Length == 0)
    return false;
  Index Next = MB.newValue();
  displace(Next, Base, Pending);
  Base = Next;
  Pending = {};
  return true;
}

void FunctionBuilder::visitGetElementPtrInst(GetElementPtrInst &I) {
  Index Result = own(&I), Base = explicitView(I.getPointerOperand());
  if (I.getType()->isVectorTy() || I.getAddressSpace() != 0) {
    for (const Use &U : I.operands())
      anywhere(Result, explicitView(U));
    return;
  }
  Displacement Pending;
  if (Base == None) // an address made of a number
    add(ConstraintKind::External, Result, None);
  for (auto GTI = gep_type_begin(I), End = gep_type_end(I); GTI != End; ++GTI) {
    const Value *Operand = GTI.getOperand();
    if (StructType *S = GTI.getStructTypeOrNull()) {
      unsigned Field = cast<ConstantInt>(Operand)->getZExtValue();
      // An array that is not the last member: what is derived from its address stays in it (C11 6.5.6p8; FH902).
      auto *A = dyn_cast<ArrayType>(S->getElementType(Field));
      // But the address of a first member is its structure's address too (6.7.2.1p15).
      bool Exact = std::next(GTI) != End && isa<ConstantInt>(std::next(GTI).getOperand());
      bool Bounded = A && Field != 0 && Field + 1 < S->getNumElements() && A->getNumElements() > 1 && !Exact;
      if (Bounded && Pending.Stride)
        gepStep(Base, Pending);
      Pending.Offset += MB.DL.getStructLayout(S)->getElementOffset(Field).getFixedValue();
      if (Bounded) {
        Type *Element = A->getElementType();
        while (auto *Inner = dyn_cast<ArrayType>(Element))
          Element = Inner->getElementType();
        Pending.Stride = std::gcd(Pending.Stride, MB.DL.getTypeAllocSize(Element).getFixedValue());
        Pending.Length = MB.DL.getTypeAllocSize(A);
        assume("what is derived from an array member's address stays in that member");
        gepStep(Base, Pending);
      }
      continue;
    }
    uint64_t Size = GTI.getSequentialElementStride(MB.DL).getKnownMinValue();
    if (const auto *C = dyn_cast<ConstantInt>(Operand)) {
      Pending.Offset += C->getSExtValue() * int64_t(Size);
      continue;
    }
    Pending.Stride = std::gcd(Pending.Stride, Size ? Size : 1);
    Index X = tracked(Operand) ? explicitView(Operand) : None;
    if (X != None && X != MB.untracked())
      add(ConstraintKind::Indexed, Result, X);
  }
  displace(Result, Base, Pending);
}

void FunctionBuilder::visitPHINode(PHINode &I) {
  if (!tracked(&I))
    return;
  Index Result = own(&I);
  for (const Value *V : I.incoming_values())
    if (Index X = integerLike(&I) ? explicitView(V) : fullView(V); X != None && !(integerLike(&I) && X == MB.untracked()))
      copy(Result, X);
}

void FunctionBuilder::visitSelectInst(SelectInst &I) {
  if (!tracked(&I))
    return;
  Index Result = own(&I);
  for (const Value *V : {I.getTrueValue(), I.getFalseValue()})
    if (Index X = integerLike(&I) ? explicitView(V) : fullView(V); X != None && !(integerLike(&I) && X == MB.untracked()))
      copy(Result, X);
}

void FunctionBuilder::visitBinaryOperator(BinaryOperator &I) {
  if (!tracked(&I))
    return;
  if (bitsOnly(&I)) {
    if (!keepsLowBits(I))
      hideOperands(I);
    return;
  }
  Index Result = own(&I);
  const Value *A = I.getOperand(0), *B = I.getOperand(1);
  bool Sum = I.getOpcode() == Instruction::Add, Minus = I.getOpcode() == Instruction::Sub;
  const auto *C = dyn_cast<ConstantInt>(B);
  bool OneWord = MB.DL.getTypeSizeInBits(I.getType()).getFixedValue() <= 64; // in a longer word the sum moves one part
  if ((Sum || Minus) && C && OneWord && C->getValue().getSignificantBits() <= 32) {
    Displacement D;
    D.Offset = Sum ? C->getSExtValue() : -C->getSExtValue();
    return displace(Result, explicitView(A), D);
  }
  for (const Value *V : {A, B})
    if (Index X = explicitView(V); X != None && X != MB.untracked())
      anywhere(Result, X);
  if (Minus && isa<PtrToIntOperator>(A) && isa<PtrToIntOperator>(B))
    assume("the difference of two addresses is a distance within one object");
}

void FunctionBuilder::visitCastInst(CastInst &I) {
  const Value *Op = I.getOperand(0);
  if (isa<AddrSpaceCastInst>(I)) {
    escape(Op, CodeNotModelled);
    return becomeExternal(I);
  }
  if (!tracked(Op))
    return; // widened bits: bitsOnly
  if (!tracked(&I) || bitsOnly(&I))
    return hide(Op);
  if (isa<PtrToIntInst>(I) || isa<BitCastInst>(I)) {
    if (isa<Constant>(Op))
      copy(own(&I), MB.constant(cast<Constant>(Op)));
    return; // otherwise the same value
  }
  if (isa<IntToPtrInst>(I) && isa<Constant>(Op))
    return becomeExternal(I);
  copy(own(&I), fullView(Op)); // inttoptr; i128 <-> i64
}

/// Order is information: an address compared with one number after another is found bit by bit. Two addresses, or an address and
/// a constant, may be compared.
void FunctionBuilder::visitCmpInst(CmpInst &I) {
  const Value *A = I.getOperand(0), *B = I.getOperand(1);
  if (isa<Constant>(A) || isa<Constant>(B) || !tracked(A))
    return;
  auto Address = [&](const Value *V) {
    if (integerLike(V))
      return isa<PtrToIntOperator>(V);
    const auto *Made = dyn_cast<IntToPtrInst>(V);
    return !Made || pure(Made->getOperand(0));
  };
  if (Address(A) && Address(B))
    return;
  hide(A);
  hide(B);
}

void FunctionBuilder::visitExtractValueInst(ExtractValueInst &I) {
  if (tracked(&I))
    copy(own(&I), fullView(I.getAggregateOperand()));
}

void FunctionBuilder::visitInsertValueInst(InsertValueInst &I) {
  if (!tracked(&I))
    return;
  copy(own(&I), fullView(I.getAggregateOperand()));
  if (tracked(I.getInsertedValueOperand()) || isa<Constant>(I.getInsertedValueOperand()))
    copy(own(&I), fullView(I.getInsertedValueOperand()));
}

void FunctionBuilder::visitExtractElementInst(ExtractElementInst &I) {
  if (!tracked(I.getVectorOperand()))
    return;
  if (!tracked(&I))
    return hide(I.getVectorOperand());
  copy(own(&I), fullView(I.getVectorOperand()));
}

void FunctionBuilder::visitInsertElementInst(InsertElementInst &I) {
  if (!tracked(&I))
    return;
  Index Result = own(&I);
  if (tracked(I.getOperand(1)))
    copy(Result, fullView(I.getOperand(0)));
  else // a part of a word changes, and the word moves
    anywhere(Result, fullView(I.getOperand(0)));
  if (tracked(I.getOperand(1)))
    copy(Result, fullView(I.getOperand(1)));
  else if (!isa<Constant>(I.getOperand(1)))
    add(ConstraintKind::External, Result, None); // a word put together from narrow parts
}

void FunctionBuilder::visitShuffleVectorInst(ShuffleVectorInst &I) {
  for (unsigned Op : {0u, 1u}) {
    if (!tracked(I.getOperand(Op)))
      continue;
    if (!tracked(&I))
      hide(I.getOperand(Op));
    else if (isTracked(I.getType()->getElementType(), MB.DL))
      copy(own(&I), fullView(I.getOperand(Op)));
    else
      anywhere(own(&I), fullView(I.getOperand(Op)));
  }
  if (tracked(&I) && !tracked(I.getOperand(0)))
    becomeExternal(I);
}

void FunctionBuilder::visitReturnInst(ReturnInst &I) {
  if (const Value *V = I.getReturnValue(); V && tracked(V))
    copy(MB.Out.Functions[Self].Result, fullView(V));
}

void FunctionBuilder::name(const Value *V, const DILocalVariable *Variable) {
  if (!V || !V->getType()->isPointerTy() || isa<Constant>(V) || isa<AllocaInst>(V))
    return;
  Index I = explicitView(V), Name = MB.string(Variable->getName());
  Index &Known = MB.Out.ValueNames[I];
  if (Known == Name)
    return;
  if (Known == None) {
    Known = Name;
    return;
  }
  // The same pointer in a second variable: a value of its own, for the sake of the witness.
  SourceLoc Saved = Here;
  Here = MB.loc(Variable->getFile(), Variable->getLine());
  Index Second = MB.newValue(Name);
  copy(Second, I);
  Renamed[V] = Second;
  Here = Saved;
}

void FunctionBuilder::names(Instruction &I) {
  for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
    if (R.isDbgValue() && R.getNumVariableLocationOps() == 1)
      name(R.getVariableLocationOp(0), R.getVariable());
  if (auto *D = dyn_cast<DbgValueInst>(&I))
    if (D->getNumVariableLocationOps() == 1)
      name(D->getVariableLocationOp(0), D->getVariable());
}

void FunctionBuilder::declareParameters() {
  for (const Argument &A : F.args()) {
    Index P = tracked(&A) ? explicitView(&A) : None;
    MB.Out.Functions[Self].Params.push_back(P);
  }
  if (!F.getReturnType()->isVoidTy() && isTracked(F.getReturnType(), MB.DL)) {
    Index R = MB.newValue();
    MB.Out.Functions[Self].Result = R;
  }
  if (F.isVarArg()) {
    Index V = MB.newValue();
    MB.Out.Functions[Self].Varargs = V;
  }
}

/// Names of stack slots, for witnesses.
void FunctionBuilder::bindAllocas() {
  auto Bind = [&](const Value *V, const DILocalVariable *Variable) {
    if (V && isa<AllocaInst>(V))
      MB.Out.ValueNames[explicitView(V)] = MB.string(Variable->getName());
  };
  for (BasicBlock &B : const_cast<llvm::Function &>(F))
    for (Instruction &I : B) {
      for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
        if (R.isDbgDeclare())
          Bind(R.getAddress(), R.getVariable());
      if (auto *D = dyn_cast<DbgDeclareInst>(&I))
        Bind(D->getAddress(), D->getVariable());
    }
}

void FunctionBuilder::run() {
  Self = MB.Out.Functions.size();
  freehold::Function Fn;
  Fn.Symbol = F.hasAvailableExternallyLinkage() ? MB.inlineCopy(F) : MB.symbol(F);
  Fn.SourceName = MB.string(F.getName());
  if (const DISubprogram *SP = F.getSubprogram()) {
    Fn.SourceName = MB.string(SP->getName());
    Fn.Loc = MB.loc(SP->getFile(), SP->getLine());
  }
  if (F.hasFnAttribute(FunctionTagAttribute))
    F.getFnAttribute(FunctionTagAttribute).getValueAsString().getAsInteger(16, Fn.Tag);
  Fn.FirstConstraint = MB.Out.Constraints.size();
  Fn.FirstCall = MB.Out.Calls.size();
  MB.Out.Functions.push_back(Fn);
  MB.Out.Symbols[Fn.Symbol].Function = Self;
  Here = Fn.Loc;
  declareParameters();
  bindAllocas();
  for (BasicBlock &B : const_cast<llvm::Function &>(F))
    for (Instruction &I : B) {
      if (I.getDebugLoc() && I.getDebugLoc().getLine())
        Here = MB.loc(I.getDebugLoc());
      names(I);
      if (!isa<DbgInfoIntrinsic>(I) && !Checks.only(I))
        visit(I);
    }
  if (F.isPresplitCoroutine()) { // what lives across a suspension lies in the frame, and whoever resumes it goes on with it
    for (const Argument &A : F.args())
      escape(&A, CodeStackSwitch);
    for (BasicBlock &B : const_cast<llvm::Function &>(F))
      for (Instruction &I : B)
        if (tracked(&I))
          escape(&I, CodeStackSwitch);
  }
  if (F.hasFnAttribute(Attribute::Naked)) // its body is assembly
    for (const Argument &A : F.args())
      escape(&A, CodeAssembly);
  if (F.hasFnAttribute(Attribute::Naked) && MB.Out.Functions[Self].Result != None)
    add(ConstraintKind::External, MB.Out.Functions[Self].Result, None);
  for (bool Prologue : {false, true})
    if (Prologue ? F.hasPrologueData() : F.hasPrefixData())
      MB.escapeConstant(Prologue ? F.getPrologueData() : F.getPrefixData(), CodeNotModelled);
  MB.Out.Functions[Self].LastConstraint = MB.Out.Constraints.size();
  MB.Out.Functions[Self].LastCall = MB.Out.Calls.size();
}

} // namespace freehold
