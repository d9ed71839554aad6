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

Constraint &FunctionBuilder::add(ConstraintKind K, Index Dst, Index Src) {
  MB.Out.Constraints.push_back(ModuleBuilder::make(K, Dst, Src, Here));
  return MB.Out.Constraints.back();
}

void FunctionBuilder::copy(Index Dst, Index Src) {
  if (Src != None && Dst != Src)
    add(ConstraintKind::Copy, Dst, Src);
}

void FunctionBuilder::displace(Index Dst, Index Src, Displacement D) {
  if (Src == None)
    return;
  if (D.Offset == 0 && D.Stride == 0 && D.Length == 0)
    return copy(Dst, Src);
  add(ConstraintKind::Displace, Dst, Src).Disp = D;
}

void FunctionBuilder::assume(StringRef Text) {
  Note N;
  N.Code = CodeCorrectProgram;
  N.Text = MB.string(Text);
  N.Loc = Here;
  MB.Out.Notes.push_back(N);
}

void FunctionBuilder::becomeExternal(const Value &V) {
  if (tracked(&V))
    add(ConstraintKind::External, own(&V), None);
}

void FunctionBuilder::escape(const Value *V, ReasonCode Code) {
  if (const auto *C = dyn_cast<Constant>(V))
    return MB.escapeConstant(C, Code);
  if (!tracked(V))
    return;
  Index I = explicitView(V);
  if (I != None && I != MB.untracked())
    add(ConstraintKind::Escape, None, I).Code = Code;
}

/// Whether V is a distance: the difference of two addresses, more or less a number, or one of several such.
bool FunctionBuilder::distance(const Value *V, SmallPtrSetImpl<const Value *> &Seen, DistanceList &Found) const {
  if (isa<ConstantInt>(V) || bitsOnly(V))
    return true;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || Seen.size() > 32)
    return false;
  if (!Seen.insert(I).second)
    return true;
  auto All = [&](auto Range) { return all_of(Range, [&](const Value *O) { return distance(O, Seen, Found); }); };
  switch (I->getOpcode()) {
  case Instruction::Sub:
    if (isa<PtrToIntOperator>(I->getOperand(0)) && isa<PtrToIntOperator>(I->getOperand(1))) {
      Found.push_back({I->getOperand(0), I->getOperand(1)});
      return true;
    }
    return All(I->operands());
  case Instruction::Add:
    return All(I->operands());
  case Instruction::PHI:
    return All(cast<PHINode>(I)->incoming_values());
  case Instruction::Select:
    return distance(I->getOperand(1), Seen, Found) && distance(I->getOperand(2), Seen, Found);
  default:
    return false;
  }
}

/// The bits of V go where they are not followed: a shift, a product, a narrower integer.
void FunctionBuilder::hide(const Value *V) {
  DistanceList Found;
  SmallPtrSet<const Value *, 8> Seen;
  if (!distance(V, Seen, Found))
    return escape(V, CodeBitsHidden);
  for (auto [From, To] : Found) {
    Index A = explicitView(From), B = explicitView(To);
    if (A != None && B != None) {
      add(ConstraintKind::Difference, A, B);
      continue;
    }
    escape(From, CodeBitsHidden);
    escape(To, CodeBitsHidden);
  }
}

void FunctionBuilder::hideOperands(Instruction &I) {
  for (const Use &U : I.operands())
    if (tracked(U))
      hide(U);
}

void FunctionBuilder::notUnderstood(Instruction &I, ReasonCode Code) {
  for (const Use &U : I.operands())
    if (!isa<BasicBlock>(U) && !U->getType()->isMetadataTy())
      escape(U, Code);
  becomeExternal(I);
}

bool FunctionBuilder::integerLike(const Value *V) const {
  const Type *T = V->getType()->getScalarType();
  return T->isIntegerTy() || T->isFloatingPointTy();
}

/// The low bits of an address alone tell nothing: the rest cannot be had without a shift or a wider mask.
static bool keepsLowBits(const Instruction &I) {
  const auto *Mask = I.getOpcode() == Instruction::And ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  return Mask && Mask->getValue().ult(4096);
}

/// Operations that scramble bits. Their operands are hidden, their results are the module's untracked value.
bool FunctionBuilder::bitsOnly(const Value *V) const {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !integerLike(V))
    return false;
  if (V->getType()->isVectorTy() && (isa<BinaryOperator>(I) || isa<CastInst>(I)) && I->getOpcode() != Instruction::BitCast &&
      I->getOpcode() != Instruction::PtrToInt)
    return true;
  auto Nothing = [&](const Value *O) { return isa<Constant>(O) ? !isa<ConstantExpr>(O) : bitsOnly(O); };
  switch (I->getOpcode()) {
  case Instruction::And:
    if (keepsLowBits(*I))
      return true;
    [[fallthrough]];
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
  case Instruction::Xor:
    return Nothing(I->getOperand(0)) && Nothing(I->getOperand(1));
  case Instruction::ZExt:
  case Instruction::SExt:
    return !isTracked(I->getOperand(0)->getType(), MB.DL);
  case Instruction::Trunc:
    return bitsOnly(I->getOperand(0));
  default:
    return (isa<BinaryOperator>(I) || isa<UnaryOperator>(I) || isa<CastInst>(I)) && !isa<PtrToIntInst>(I) && !isa<BitCastInst>(I);
  }
}

bool FunctionBuilder::pure(const Value *V, unsigned Depth) const {
  if (!integerLike(V))
    return true;
  if (const auto *C = dyn_cast<Constant>(V))
    return isa<ConstantExpr>(C) || C->isNullValue();
  if (Depth > 8 || bitsOnly(V))
    return false;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  auto AllPure = [&](auto Range) { return all_of(Range, [&](const Value *O) { return pure(O, Depth + 1); }); };
  switch (I->getOpcode()) {
  case Instruction::PHI:
    return AllPure(cast<PHINode>(I)->incoming_values());
  case Instruction::Select:
    return pure(I->getOperand(1), Depth + 1) && pure(I->getOperand(2), Depth + 1);
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return all_of(I->operands(), [&](const Value *O) { return isa<ConstantInt>(O) || pure(O, Depth + 1); });
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
    return AllPure(make_range(I->op_begin(), I->op_begin() + 2));
  case Instruction::BitCast:
  case Instruction::Freeze: // their explicit view is the operand's
    return pure(I->getOperand(0), Depth + 1);
  default:
    return true; // loads, calls, ptrtoint: what is external about them is in the value itself
  }
}

Index FunctionBuilder::explicitView(const Value *V) {
  auto R = Renamed.find(V);
  return R != Renamed.end() ? R->second : own(V);
}

Index FunctionBuilder::own(const Value *V) {
  if (const auto *C = dyn_cast<Constant>(V))
    return MB.constant(C);
  if (!tracked(V))
    return None;
  auto It = Explicit.find(V);
  if (It != Explicit.end())
    return It->second;
  Index I;
  const auto *Op = dyn_cast<Instruction>(V);
  if (bitsOnly(V))
    I = MB.untracked();
  else if (Op && (isa<PtrToIntInst>(Op) || isa<FreezeInst>(Op) || isa<BitCastInst>(Op)) && tracked(Op->getOperand(0)))
    I = explicitView(Op->getOperand(0));
  else
    I = MB.newValue();
  if (I == None) // a freeze or cast of a constant without address
    I = MB.newValue();
  Explicit[V] = I;
  return I;
}

Index FunctionBuilder::fullView(const Value *V) {
  Index X = explicitView(V);
  if (X == None || isa<Constant>(V) || !integerLike(V) || X == MB.untracked() || pure(V))
    return X;
  auto [It, New] = Full.try_emplace(V, None);
  if (!New)
    return It->second;
  Index Whole = It->second = MB.newValue(MB.Out.ValueNames[X]);
  copy(Whole, X);
  add(ConstraintKind::External, Whole, None);
  return Whole;
}

Index FunctionBuilder::addressOf(Index Object, Displacement D) {
  Index V = MB.newValue();
  add(ConstraintKind::AddressOf, V, Object);
  if (D.Stride == 0 && D.Length == 0) {
    MB.Out.Constraints.back().Disp = D;
    return V;
  }
  Index Moved = MB.newValue();
  displace(Moved, V, D);
  return Moved;
}

Index FunctionBuilder::stackObject(std::optional<uint64_t> Size) {
  Object O;
  O.Kind = ObjectKind::Stack;
  O.Function = Self;
  O.Size = Size;
  O.Loc = Here;
  MB.Out.Objects.push_back(O);
  return MB.Out.Objects.size() - 1;
}

static void narrowParts(Type *T, const DataLayout &DL, uint64_t &Width) {
  if (auto *S = dyn_cast<StructType>(T)) {
    for (Type *E : S->elements())
      narrowParts(E, DL, Width);
  } else if (auto *A = dyn_cast<ArrayType>(T)) {
    narrowParts(A->getElementType(), DL, Width);
  } else if (!isTracked(T, DL)) {
    Width = std::max<uint64_t>(Width, DL.getTypeStoreSize(T).getKnownMinValue());
  }
}

/// Result of type T is read at Address.
void FunctionBuilder::read(const Value *Result, Type *T, Index Address) {
  if (Address == None)
    return;
  uint64_t Width = MB.DL.getTypeStoreSize(T).getKnownMinValue();
  if (isTracked(T, MB.DL))
    add(ConstraintKind::Load, own(Result), Address).Width = Width;
  uint64_t Narrow = 0;
  narrowParts(T, MB.DL, Narrow);
  if (Narrow)
    add(ConstraintKind::NarrowLoad, None, Address).Width = isTracked(T, MB.DL) ? Width : Narrow;
}

/// Bytes at Address become zero. A whole word forgets what it held; a part of one moves the address in it.
void FunctionBuilder::zero(Index Address, uint64_t Width) {
  Constraint &C = add(ConstraintKind::UntrackedStore, Address, None);
  C.Width = Width;
  C.Code = 1;
}

/// V is written at Address. Zeroes are harmless: a pointer cannot be rebuilt from nothing.
void FunctionBuilder::write(Index Address, const Value *V) {
  if (Address == None)
    return;
  uint64_t Width = MB.DL.getTypeStoreSize(V->getType()).getKnownMinValue();
  const auto *C = dyn_cast<Constant>(V);
  if (C && (C->isNullValue() || isa<UndefValue>(C))) {
    if (Width < 8)
      zero(Address, Width);
    return;
  }
  if (!tracked(V)) {
    if (isa_and_nonnull<ConstantExpr>(C))
      MB.escapeConstant(C, CodeBitsHidden);
    add(ConstraintKind::UntrackedStore, Address, None).Width = Width;
    return;
  }
  Index I = fullView(V);
  if (I == None) // a whole constant word, chosen by nobody
    return;
  if (I == MB.untracked())
    add(ConstraintKind::UntrackedStore, Address, None).Width = Width;
  else
    add(ConstraintKind::Store, Address, I).Width = Width;
}

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
      if (!isa<DbgInfoIntrinsic>(I))
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
