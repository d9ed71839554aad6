// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ValueBuilder.cpp - what all instructions share: the two views of a value, bits that are hidden, reads and writes of memory.
#include "summary/FunctionBuilder.h"
#include "summary/SummaryBuilder.h"

#include "llvm/IR/DebugInfoMetadata.h"

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

/// Whoever learns a distance learns an address only if its two ends lie in different objects; then both are hidden.
bool FunctionBuilder::hideDistance(const Value *V) {
  DistanceList Found;
  SmallPtrSet<const Value *, 8> Seen;
  if (!integerLike(V) || !distance(V, Seen, Found))
    return false;
  for (auto [From, To] : Found) {
    Index A = explicitView(From), B = explicitView(To);
    if (A != None && B != None) {
      add(ConstraintKind::Difference, A, B);
      continue;
    }
    escape(From, CodeBitsHidden);
    escape(To, CodeBitsHidden);
  }
  return true;
}

/// The bits of V go where they are not followed: a shift, a product, a narrower integer.
void FunctionBuilder::hide(const Value *V) {
  if (!hideDistance(V))
    escape(V, CodeBitsHidden);
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
bool FunctionBuilder::keepsLowBits(const Instruction &I) {
  const auto *Mask = I.getOpcode() == Instruction::And ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  return Mask && Mask->getValue().ult(4096);
}

/// Operations that scramble bits. Their operands are hidden, their results are the module's untracked value.
bool FunctionBuilder::bitsOnly(const Value *V) const {
  auto [It, New] = BitsOnly.try_emplace(V, false);
  if (!New)
    return It->second;
  bool Answer = findBitsOnly(V);
  return BitsOnly[V] = Answer;
}

bool FunctionBuilder::findBitsOnly(const Value *V) const {
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
  auto [It, New] = Pure.try_emplace(V, false);
  if (!New)
    return It->second;
  bool Answer = findPure(V, Depth);
  return Pure[V] = Answer;
}

bool FunctionBuilder::findPure(const Value *V, unsigned Depth) const {
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

} // namespace freehold
