// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CallBuilder.cpp - calls: ordinary ones, intrinsics, inline assembly.
//
// What library functions do is not decided here but at the link, by the models: a call records its arguments and nothing else.
// Intrinsics are part of the language of the IR and are lowered to constraints; one that is not listed falls under the default
// rule (operands escape, result external).
#include "summary/FunctionBuilder.h"
#include "summary/SummaryBuilder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>

using namespace llvm;

namespace freehold {

/// Bundles that say something about the operands and hand them to nobody.
static bool harmlessBundle(StringRef Tag) {
  return Tag == "align" || Tag == "nonnull" || Tag == "dereferenceable" || Tag == "kcfi" || Tag == "funclet" ||
         Tag == "convergencectrl" || Tag == "ignore" || Tag == "cold" || Tag == "separate_storage" || Tag == "noundef";
}

void FunctionBuilder::visitCallBase(CallBase &I) {
  for (unsigned B = 0; B < I.getNumOperandBundles(); ++B) {
    OperandBundleUse Bundle = I.getOperandBundleAt(B);
    if (!harmlessBundle(Bundle.getTagName()))
      for (const Use &U : Bundle.Inputs)
        escape(U, CodeNotModelled);
  }
  if (I.isInlineAsm())
    return asmCall(I);
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    if (!intrinsic(*Intrinsic)) {
      for (const Use &A : I.args())
        if (!A->getType()->isMetadataTy())
          escape(A, CodeNotModelled);
      becomeExternal(I);
    }
    return;
  }
  ordinaryCall(I);
}

/// An empty template with tied operands copies; any other may do what it likes with what it is given.
void FunctionBuilder::asmCall(CallBase &I) {
  const auto *Asm = cast<InlineAsm>(I.getCalledOperand());
  StringRef Text = Asm->getAsmString();
  bool Empty = Text.trim().empty();
  MB.useNamesIn(Text);
  for (const Use &A : I.args()) {
    if (!Empty)
      escape(A, CodeAssembly);
    else if (tracked(&I))
      copy(own(&I), fullView(A));
  }
  if (!Empty)
    becomeExternal(I);
}

bool FunctionBuilder::memoryIntrinsic(IntrinsicInst &I) {
  auto Elsewhere = [](const Use &A) { return A->getType()->isPointerTy() && A->getType()->getPointerAddressSpace() != 0; };
  if (any_of(I.args(), Elsewhere))
    return false;
  auto Length = [&](const Value *V) -> uint64_t {
    const auto *C = dyn_cast<ConstantInt>(V);
    return C ? C->getZExtValue() : 0;
  };
  auto Nothing = [](const Value *V) { return isa<ConstantInt>(V) && cast<ConstantInt>(V)->isZero(); };
  if (const auto *M = dyn_cast<AnyMemIntrinsic>(&I); M && tracked(M->getLength()))
    hide(M->getLength()); // how much was written can be counted
  if (const auto *T = dyn_cast<AnyMemTransferInst>(&I)) {
    Index To = explicitView(T->getRawDest()), From = explicitView(T->getRawSource());
    if (To != None && From != None && !Nothing(T->getLength()))
      add(ConstraintKind::CopyMemory, To, From).Width = Length(T->getLength());
    return true;
  }
  if (const auto *S = dyn_cast<AnyMemSetInst>(&I)) {
    Index To = explicitView(S->getRawDest());
    const auto *Byte = dyn_cast<ConstantInt>(S->getValue());
    if (To == None || Nothing(S->getLength()))
      return true;
    if (!Byte || !Byte->isZero())
      add(ConstraintKind::UntrackedStore, To, None).Width = Length(S->getLength());
    else if (uint64_t Bytes = Length(S->getLength()); Bytes < 8)
      zero(To, Bytes);
    return true;
  }
  return false;
}

/// va_start fills a va_list (x86-64: {i32, i32, overflow area, save area}) with the address of one area per function, whose every
/// word may hold any anonymous argument.
void FunctionBuilder::vaStart(IntrinsicInst &I) {
  Index List = explicitView(I.getArgOperand(0));
  if (List == None)
    return;
  if (VarargArea == None)
    VarargArea = stackObject(std::nullopt);
  Index Area = addressOf(VarargArea, {0, 1, 0});
  add(ConstraintKind::Store, Area, MB.Out.Functions[Self].Varargs).Width = 8;
  for (int64_t Offset : {8, 16}) {
    Index Field = MB.newValue();
    displace(Field, List, {Offset, 0, 0});
    add(ConstraintKind::Store, Field, Area).Width = 8;
  }
}

bool FunctionBuilder::intrinsic(IntrinsicInst &I) {
  if (memoryIntrinsic(I))
    return true;
  auto CopyFirst = [&] { copy(own(&I), fullView(I.getArgOperand(0))); };
  switch (I.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
  case Intrinsic::prefetch:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
  case Intrinsic::var_annotation:
  case Intrinsic::codeview_annotation:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::objectsize:
  case Intrinsic::is_constant:
  case Intrinsic::eh_typeid_for:
  case Intrinsic::vaend:
  case Intrinsic::type_test:
  case Intrinsic::public_type_test:
  case Intrinsic::pseudoprobe:
  case Intrinsic::allow_runtime_check:
  case Intrinsic::allow_ubsan_check:
    return true;
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ssa_copy:
  case Intrinsic::threadlocal_address:
  case Intrinsic::preserve_array_access_index:
  case Intrinsic::preserve_struct_access_index:
  case Intrinsic::preserve_union_access_index:
    if (I.getIntrinsicID() == Intrinsic::preserve_array_access_index ||
        I.getIntrinsicID() == Intrinsic::preserve_struct_access_index)
      anywhere(own(&I), explicitView(I.getArgOperand(0)));
    else if (tracked(&I))
      CopyFirst();
    return true;
  case Intrinsic::ptrmask:
    anywhere(own(&I), explicitView(I.getArgOperand(0)));
    return true;
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::smax:
    if (tracked(&I))
      for (const Use &A : I.args())
        copy(own(&I), fullView(A));
    return true;
  case Intrinsic::frameaddress:
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::sponentry:
  case Intrinsic::thread_pointer:
  case Intrinsic::returnaddress:
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
    becomeExternal(I);
    return true;
  case Intrinsic::vastart:
    vaStart(I);
    return true;
  case Intrinsic::vacopy: {
    Index To = explicitView(I.getArgOperand(0)), From = explicitView(I.getArgOperand(1));
    if (To != None && From != None)
      add(ConstraintKind::CopyMemory, To, From).Width = 24;
    return true;
  }
  case Intrinsic::type_checked_load:
    if (Index From = explicitView(I.getArgOperand(0)); From != None) {
      Index At = MB.newValue();
      anywhere(At, From);
      add(ConstraintKind::Load, own(&I), At).Width = 8;
    }
    return true;
  default:
    break;
  }
  // Arithmetic on numbers: the bits are scrambled.
  bool Numbers = I.doesNotAccessMemory() && !I.getType()->isPtrOrPtrVectorTy() && none_of(I.args(), [](const Use &A) {
                   return A->getType()->isPtrOrPtrVectorTy() || A->getType()->isMetadataTy();
                 });
  if (!Numbers)
    return false;
  for (const Use &A : I.args())
    if (tracked(A))
      hide(A);
  becomeExternal(I);
  return true;
}

/// A function that another module or a library defines.
static bool isOutside(const CallBase &I) {
  const auto *Callee = dyn_cast<llvm::Function>(I.getCalledOperand()->stripPointerCasts());
  return Callee && Callee->isDeclaration();
}

CallArg FunctionBuilder::argument(CallBase &I, unsigned N) {
  CallArg A;
  const Value *V = I.getArgOperand(N);
  if (const auto *C = dyn_cast<ConstantInt>(V)) {
    if (C->getValue().getSignificantBits() <= 64)
      A.Constant = C->getSExtValue();
    A.Value = MB.constant(C);
    return A;
  }
  if (isa<ConstantPointerNull>(V)) {
    A.Constant = 0;
    return A;
  }
  if (!tracked(V)) {
    if (const auto *C = dyn_cast<Constant>(V))
      MB.escapeConstant(C, CodeBitsHidden);
    return A;
  }
  StringRef Text;
  if (isa<Constant>(V) && V->getType()->isPointerTy() && getConstantStringInfo(V, Text) && Text.size() < 512)
    A.String = MB.string(Text);
  A.Value = fullView(V);
  A.Distance = isOutside(I) && hideDistance(V);
  if (I.isByValArgument(N) && A.Value != None) { // the callee gets the address of a copy
    Type *T = I.getParamByValType(N);
    uint64_t Size = MB.DL.getTypeAllocSize(T);
    Index Copy = addressOf(stackObject(Size));
    add(ConstraintKind::CopyMemory, Copy, A.Value).Width = Size;
    A.Value = Copy;
    if (N >= I.getFunctionType()->getNumParams()) { // or, among anonymous arguments, finds the copy itself
      Index Place = MB.newValue();
      A.Value = MB.newValue();
      anywhere(Place, Copy);
      add(ConstraintKind::Load, A.Value, Place).Width = 8;
      copy(A.Value, Copy);
    }
  }
  if (I.paramHasAttr(N, Attribute::InAlloca) || I.paramHasAttr(N, Attribute::Preallocated))
    escape(V, CodeNotModelled);
  return A;
}

void FunctionBuilder::site(CallBase &I, Index Call) {
  uint64_t Id = 0;
  if (!I.hasFnAttr(SiteAttribute) || I.getFnAttr(SiteAttribute).getValueAsString().getAsInteger(16, Id))
    return;
  std::string Callee = allocationFunction(I);
  if (Callee.empty())
    return;
  Site S;
  S.Id = Id;
  S.Call = Call;
  S.Callee = MB.string(Callee);
  S.Function = Self;
  S.Ordinal = MB.Out.Sites.size();
  auto Number = [&](unsigned N) -> std::optional<uint64_t> {
    const auto *C = dyn_cast<ConstantInt>(I.getArgOperand(N));
    return C ? std::optional<uint64_t>(C->getZExtValue()) : std::nullopt;
  };
  if (Callee == "malloc" || StringRef(Callee).starts_with("_Zn"))
    S.Size = Number(0);
  else if (Callee == "realloc" || Callee == "aligned_alloc")
    S.Size = Number(1);
  else if (Callee == "posix_memalign")
    S.Size = Number(2);
  else if (Callee == "calloc" || Callee == "reallocarray") {
    unsigned First = Callee == "calloc" ? 0 : 1;
    auto N = Number(First), Size = Number(First + 1);
    if (N && Size && (*N == 0 || *Size <= UINT64_MAX / *N))
      S.Size = *N * *Size;
  }
  MB.Out.Calls[Call].Site = MB.Out.Sites.size();
  MB.Out.Sites.push_back(S);
}

/// Functions that free a block, for the report's count of frees.
static bool isFree(StringRef Name) {
  return Name == "free" || Name == "cfree" || Name.starts_with("_ZdlPv") || Name.starts_with("_ZdaPv");
}

void FunctionBuilder::ordinaryCall(CallBase &I) {
  freehold::Call C;
  C.Function = Self;
  C.Loc = Here;
  const Value *Callee = I.getCalledOperand()->stripPointerCasts();
  if (const auto *G = dyn_cast<GlobalValue>(Callee)) {
    C.Symbol = MB.symbol(*G);
    MB.Out.Frees += isFree(G->getName());
  } else {
    C.Callee = fullView(Callee);
    if (C.Callee == None) // a call of null or undef: never executed
      C.Callee = MB.untracked();
  }
  for (unsigned N = 0; N < I.arg_size(); ++N)
    C.Args.push_back(argument(I, N));
  if (I.isMustTailCall() && F.isVarArg()) { // a thunk hands its anonymous arguments on
    C.Args.emplace_back();
    C.Args.back().Value = MB.Out.Functions[Self].Varargs;
  }
  if (tracked(&I) && !I.getType()->isVoidTy())
    C.Result = own(&I);
  MB.Out.Calls.push_back(C);
  site(I, MB.Out.Calls.size() - 1);
  if (const auto *G = dyn_cast<llvm::Function>(Callee); G && G->hasAvailableExternallyLinkage()) {
    C.Symbol = MB.inlineCopy(*G);
    MB.Out.Calls.push_back(C);
  }
}

} // namespace freehold
