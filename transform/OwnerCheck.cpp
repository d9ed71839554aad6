// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OwnerCheck.cpp - the analysis' oracle: what it says nobody else touches is watched while the program runs.
//
// Before each access the address is compared with the local heap's range, inline; only inside it fh_check_access asks for the
// page's owner. Accesses: load, store, atomics, memory intrinsics, masked and vector-predicated ones lane by lane, va_arg, byval
// arguments, memory operands of assembly, and what modelled library functions read and write. Addresses of stack slots and
// variables lie outside the range and are not checked. It runs late, so that no check keeps LLVM from removing an access.

#include "OwnerCheck.h"
#include "Allocation.h"
#include "Link.h"
#include "freehold/abi.h"
#include "solver/Models.h"
#include "summary/SummaryBuilder.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace freehold {
namespace {

/// Size null: FixedSize bytes.
struct Access {
  Instruction *At;
  Value *Pointer;
  Value *Size;
  uint64_t FixedSize;
  bool Write;
};

class OwnerCheck {
public:
  OwnerCheck(llvm::Module &M, const LinkState &State);
  unsigned run();

private:
  llvm::Module &M;
  const LinkState &State;
  const Models *Library; ///< effects of modelled functions; may be null
  const DataLayout &DL;
  LLVMContext &Ctx;
  PointerType *Ptr;
  IntegerType *I64, *I32;
  FunctionCallee CheckAccess, CheckSite;
  StringMap<Constant *> Places;
  std::vector<Access> Found;

  void visit(Instruction &I);
  void visitIntrinsic(IntrinsicInst &I);
  void visitMasked(IntrinsicInst &I, Value *Pointer, Value *Mask, Value *Length, Type *Data, bool Write);
  void visitCall(CallBase &Call);
  void visitLibrary(CallBase &Call, const Model &F);
  void add(Instruction &I, Value *Pointer, uint64_t Size, bool Write, Value *Runtime = nullptr);
  void check(const Access &A);
  void rememberSite(CallBase &Call);
  Constant *place(const Instruction &I);
  Constant *text(const std::string &Text);
};

OwnerCheck::OwnerCheck(llvm::Module &M, const LinkState &State)
    : M(M), State(State), Library(State.Library ? &*State.Library : nullptr), DL(M.getDataLayout()), Ctx(M.getContext()),
      Ptr(PointerType::getUnqual(Ctx)), I64(Type::getInt64Ty(Ctx)), I32(Type::getInt32Ty(Ctx)) {
  Type *Void = Type::getVoidTy(Ctx);
  CheckAccess = M.getOrInsertFunction("fh_check_access", Void, Ptr, I64, Ptr, I32);
  CheckSite = M.getOrInsertFunction("fh_check_site", Void, Ptr, Ptr);
  for (FunctionCallee F : {CheckAccess, CheckSite})
    if (auto *Fn = dyn_cast<llvm::Function>(F.getCallee()))
      Fn->setDoesNotThrow();
}

Constant *OwnerCheck::text(const std::string &Text) {
  Constant *&Known = Places[Text];
  if (!Known) {
    Constant *Data = ConstantDataArray::getString(Ctx, Text);
    auto *G = new GlobalVariable(M, Data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Data, "fh.place");
    G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    Known = G;
  }
  return Known;
}

/// "file:line" as a string; what was compiled without -g and without --freehold-check has only its function's name.
Constant *OwnerCheck::place(const Instruction &I) {
  const DILocation *L = I.getDebugLoc();
  if (L && L->getLine())
    return text((L->getFilename() + ":" + Twine(L->getLine())).str());
  return text(("function " + I.getFunction()->getName()).str());
}

void OwnerCheck::add(Instruction &I, Value *Pointer, uint64_t Size, bool Write, Value *Runtime) {
  if (!Pointer->getType()->isPointerTy() || Pointer->getType()->getPointerAddressSpace() != 0 ||
      isa<ConstantPointerNull>(Pointer))
    return;
  const Value *Base = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(Base) || isa<GlobalValue>(Base))
    return;
  Found.push_back({&I, Pointer, Runtime, Size ? Size : 1, Write});
}

/// Lane by lane: an inactive lane touches nothing, so its address becomes null, which no range contains. Length: vp's explicit
/// vector length. Pointer is one pointer, or a vector of them.
void OwnerCheck::visitMasked(IntrinsicInst &I, Value *Pointer, Value *Mask, Value *Length, Type *Data, bool Write) {
  auto *Vector = dyn_cast<FixedVectorType>(Data);
  if (!Vector)
    return; // scalable: no such target is built for
  IRBuilder<> B(&I);
  uint64_t Each = DL.getTypeStoreSize(Vector->getElementType());
  for (unsigned Lane = 0; Lane < Vector->getNumElements(); ++Lane) {
    Value *Address = Pointer->getType()->isVectorTy() ? B.CreateExtractElement(Pointer, Lane)
                                                      : B.CreateConstGEP1_64(B.getInt8Ty(), Pointer, Lane * Each);
    Value *Active = B.CreateExtractElement(Mask, Lane);
    if (Length)
      Active = B.CreateAnd(Active, B.CreateICmpULT(B.getInt32(Lane), Length));
    add(I, B.CreateSelect(Active, Address, ConstantPointerNull::get(Ptr)), Each, Write);
  }
}

void OwnerCheck::visitIntrinsic(IntrinsicInst &I) {
  if (auto *Mem = dyn_cast<AnyMemIntrinsic>(&I)) {
    add(I, Mem->getRawDest(), 1, true, Mem->getLength());
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(Mem))
      add(I, Copy->getRawSource(), 1, false, Copy->getLength());
    return;
  }
  switch (I.getIntrinsicID()) {
  case Intrinsic::masked_load:
    return visitMasked(I, I.getArgOperand(0), I.getArgOperand(2), nullptr, I.getType(), false);
  case Intrinsic::masked_store:
    return visitMasked(I, I.getArgOperand(1), I.getArgOperand(3), nullptr, I.getArgOperand(0)->getType(), true);
  case Intrinsic::masked_gather:
    return visitMasked(I, I.getArgOperand(0), I.getArgOperand(2), nullptr, I.getType(), false);
  case Intrinsic::masked_scatter:
    return visitMasked(I, I.getArgOperand(1), I.getArgOperand(3), nullptr, I.getArgOperand(0)->getType(), true);
  case Intrinsic::vp_load:
  case Intrinsic::vp_gather:
    return visitMasked(I, I.getArgOperand(0), I.getArgOperand(1), I.getArgOperand(2), I.getType(), false);
  case Intrinsic::vp_store:
  case Intrinsic::vp_scatter:
    return visitMasked(I, I.getArgOperand(1), I.getArgOperand(2), I.getArgOperand(3), I.getArgOperand(0)->getType(), true);
  case Intrinsic::vastart:
  case Intrinsic::vacopy:
  case Intrinsic::vaend:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::assume:
  case Intrinsic::prefetch:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::var_annotation:
  case Intrinsic::ptr_annotation:
    if (I.getIntrinsicID() == Intrinsic::vastart || I.getIntrinsicID() == Intrinsic::vacopy)
      add(I, I.getArgOperand(0), 8, true);
    return;
  default:
    break;
  }
  // Compressed and expanding accesses, target intrinsics: at least one byte at each address they are given, unless none is
  // active.
  if (I.mayReadOrWriteMemory() && I.getIntrinsicID() != Intrinsic::masked_expandload &&
      I.getIntrinsicID() != Intrinsic::masked_compressstore)
    for (Value *Argument : I.args())
      add(I, Argument, 1, I.mayWriteToMemory());
  if (I.getIntrinsicID() == Intrinsic::masked_expandload || I.getIntrinsicID() == Intrinsic::masked_compressstore) {
    bool Write = I.getIntrinsicID() == Intrinsic::masked_compressstore;
    Value *Pointer = I.getArgOperand(Write), *Mask = I.getArgOperand(1 + Write);
    IRBuilder<> B(&I);
    Value *Any = B.CreateOrReduce(Mask);
    add(I, B.CreateSelect(Any, Pointer, ConstantPointerNull::get(Ptr)), 1, Write);
  }
}

/// What a modelled function does to the memory of its arguments. Without a size in the model one byte is known to be touched.
void OwnerCheck::visitLibrary(CallBase &Call, const Model &F) {
  auto Touch = [&](const Operand &O, bool Write, const Effect &E) {
    if (O.K != Operand::Arg || O.N >= Call.arg_size())
      return;
    Value *Size = E.Size && !E.SizeFactor && *E.Size < Call.arg_size() ? Call.getArgOperand(*E.Size) : nullptr;
    if (Size && !Size->getType()->isIntegerTy(64))
      Size = nullptr;
    // `copies ... size=` of the strn family bounds and does not promise; only plain memory functions touch every byte.
    StringRef Name = Call.getCalledFunction()->getName();
    if (!Name.starts_with("mem") && !Name.starts_with("__mem") && Name != "mempcpy")
      Size = nullptr;
    if (Size)
      if (auto *Zero = dyn_cast<ConstantInt>(Size); Zero && Zero->isZero())
        return;
    add(Call, Call.getArgOperand(O.N), 1, Write, Size);
  };
  for (const Effect &E : F.Effects)
    switch (E.Kind) {
    case EffectKind::Reads:
    case EffectKind::BytesOut:
      Touch(E.A, false, E);
      break;
    case EffectKind::Writes:
    case EffectKind::Zeroes:
    case EffectKind::BytesIn:
      Touch(E.A, true, E);
      break;
    case EffectKind::Copies:
      Touch(E.A, false, E);
      Touch(E.B, true, E);
      break;
    case EffectKind::Stores:
      Touch(E.B, true, E);
      break;
    case EffectKind::Format:
    case EffectKind::Scan:
      Touch(E.A, false, E);
      break;
    default:
      break;
    }
}

void OwnerCheck::visitCall(CallBase &Call) {
  for (unsigned N = 0; N < Call.arg_size(); ++N) {
    if (Call.isByValArgument(N))
      add(Call, Call.getArgOperand(N), DL.getTypeAllocSize(Call.getParamByValType(N)), false);
    else if (Call.isInlineAsm())
      if (Type *T = Call.getParamElementType(N))
        add(Call, Call.getArgOperand(N), DL.getTypeStoreSize(T), false);
  }
  const llvm::Function *Callee = Call.getCalledFunction();
  if (Callee && Callee->isDeclaration() && Library)
    if (const Model *F = Library->find(Callee->getName(), Call.arg_size()))
      visitLibrary(Call, *F);
}

void OwnerCheck::visit(Instruction &I) {
  auto Bytes = [&](Type *T) -> uint64_t {
    TypeSize Size = DL.getTypeStoreSize(T);
    return Size.isScalable() ? 1 : Size.getFixedValue();
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    add(I, Load->getPointerOperand(), Bytes(Load->getType()), false);
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    add(I, Store->getPointerOperand(), Bytes(Store->getValueOperand()->getType()), true);
  else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    add(I, RMW->getPointerOperand(), Bytes(RMW->getValOperand()->getType()), true);
  else if (auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
    add(I, CAS->getPointerOperand(), Bytes(CAS->getNewValOperand()->getType()), true);
  else if (auto *Next = dyn_cast<VAArgInst>(&I))
    add(I, Next->getPointerOperand(), 8, true);
  else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    visitIntrinsic(*Intrinsic);
  else if (auto *Call = dyn_cast<CallBase>(&I))
    visitCall(*Call);
}

/// if (p >> FH_RANGE_BITS == FH_LOCAL_BASE >> FH_RANGE_BITS) fh_check_access(p, size, place, write)
void OwnerCheck::check(const Access &A) {
  IRBuilder<> B(A.At);
  Value *Range = B.CreateLShr(B.CreatePtrToInt(A.Pointer, I64), FH_RANGE_BITS);
  Value *Inside = B.CreateICmpEQ(Range, B.getInt64(FH_LOCAL_BASE >> FH_RANGE_BITS));
  Value *Size = A.Size ? B.CreateZExtOrTrunc(A.Size, I64) : B.getInt64(A.FixedSize);
  if (A.Size)
    Inside = B.CreateAnd(Inside, B.CreateIsNotNull(Size));
  Instruction *Then = SplitBlockAndInsertIfThen(Inside, A.At->getIterator(), /*Unreachable=*/false);
  IRBuilder<> T(Then);
  T.SetCurrentDebugLocation(A.At->getDebugLoc());
  T.CreateCall(CheckAccess, {A.Pointer, Size, place(*A.At), B.getInt32(A.Write)});
}

/// A rewritten allocation tells where it was made, for the message.
void OwnerCheck::rememberSite(CallBase &Call) {
  Instruction *Next = Call.getNextNode();
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    Next = &*SplitEdge(Invoke->getParent(), Invoke->getNormalDest())->getFirstInsertionPt();
  if (!Next)
    return;
  IRBuilder<> B(Next);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  uint64_t Id = 0;
  auto Known = State.Places.end(); // the report knows the line of every site
  if (!Call.getDebugLoc() && !Call.getFnAttr(SiteAttribute).getValueAsString().getAsInteger(16, Id))
    Known = State.Places.find(Id);
  B.CreateCall(CheckSite, {&Call, Known == State.Places.end() ? place(Call) : text(Known->second)});
}

unsigned OwnerCheck::run() {
  std::vector<CallBase *> Allocations;
  for (llvm::Function &F : M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage() || F.hasFnAttribute(Attribute::Naked))
      continue;
    bool Checked = State.C.Check || F.hasFnAttribute(CheckAttribute);
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      const llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Callee->getName().starts_with("fh_tls_") && Call->getType()->isPointerTy())
        Allocations.push_back(Call);
      if (Checked)
        visit(I);
    }
  }
  for (CallBase *Call : Allocations)
    rememberSite(*Call);
  for (const Access &A : Found)
    check(A);
  return Found.size();
}

} // namespace

unsigned instrumentOwnerCheck(llvm::Module &M, const LinkState &State) { return OwnerCheck(M, State).run(); }

} // namespace freehold
