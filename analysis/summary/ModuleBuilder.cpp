// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ModuleBuilder.cpp - symbols, objects, constants and initialisers of one module.
#include "summary/ModuleBuilder.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace freehold {

bool isTracked(const Type *T, const DataLayout &DL) {
  if (T->isPtrOrPtrVectorTy())
    return true;
  if (!T->isSized() || T->isTargetExtTy())
    return T->isTargetExtTy();
  return DL.getTypeSizeInBits(const_cast<Type *>(T)).getKnownMinValue() >= 64;
}

Constraint ModuleBuilder::make(ConstraintKind K, Index Dst, Index Src, SourceLoc L) {
  Constraint C;
  C.Kind = K;
  C.Dst = Dst;
  C.Src = Src;
  C.Loc = L;
  return C;
}

Index ModuleBuilder::string(StringRef S) {
  auto [It, New] = StringIndex.try_emplace(S, Out.Strings.size());
  if (New)
    Out.Strings.push_back(S.str());
  return It->second;
}

SourceLoc ModuleBuilder::loc(const DIFile *File, unsigned Line, unsigned Column) {
  SourceLoc L;
  if (!File)
    return L;
  std::string Name = File->getFilename().str();
  if (!StringRef(Name).starts_with("/") && !File->getDirectory().empty())
    Name = (File->getDirectory() + "/" + Name).str();
  L.File = string(Name);
  L.Line = Line;
  L.Column = Column;
  return L;
}

SourceLoc ModuleBuilder::loc(const DILocation *L) { return L ? loc(L->getFile(), L->getLine(), L->getColumn()) : SourceLoc(); }

Index ModuleBuilder::newValue(Index Name) {
  Out.ValueNames.push_back(Name);
  return Out.ValueNames.size() - 1;
}

Index ModuleBuilder::untracked() {
  if (Untracked == None) {
    Untracked = newValue();
    Global.push_back(make(ConstraintKind::External, Untracked, None));
  }
  return Untracked;
}

static Linkage linkageOf(const GlobalValue &G) {
  if (G.hasLocalLinkage())
    return Linkage::Internal;
  if (G.hasAvailableExternallyLinkage())
    return Linkage::AvailableExternally;
  if (G.isDeclaration())
    return Linkage::Declared;
  if (G.hasLinkOnceODRLinkage() || G.hasWeakODRLinkage())
    return Linkage::ODR;
  if (G.hasCommonLinkage())
    return Linkage::Common;
  return G.isInterposable() && !G.hasExternalLinkage() ? Linkage::Weak : Linkage::External;
}

Index ModuleBuilder::symbol(const GlobalValue &G) {
  auto It = SymbolIndex.find(&G);
  if (It != SymbolIndex.end())
    return It->second;
  Index I = Out.Symbols.size();
  SymbolIndex[&G] = I;
  Symbol S;
  S.Name = string(G.getName());
  S.Link = linkageOf(G);
  S.Hidden = G.hasHiddenVisibility();
  // A section with a name of its own can be walked as an array (__start_X), and the loader calls what it finds in some others.
  auto Called = [&](StringRef Prefix) { return G.getSection().starts_with(Prefix); };
  S.Used = G.hasSection() &&
           (!Called(".") || Called(".init") || Called(".preinit") || Called(".fini") || Called(".ctors") || Called(".dtors"));
  S.IFunc = isa<GlobalIFunc>(G);
  Out.Symbols.push_back(S);
  if (const auto *A = dyn_cast<GlobalAlias>(&G)) {
    if (const GlobalObject *Base = A->getAliaseeObject()) {
      Index To = symbol(*Base);
      Out.Symbols[I].Aliasee = To;
      if (A->getAliasee()->stripPointerCastsAndAliases() != Base) // a place inside it, or what is no plain symbol
        Out.Symbols[I].Used = Out.Symbols[To].Used = true;
    }
  } else if (const auto *F = dyn_cast<GlobalIFunc>(&G)) {
    if (const auto *Resolver = F->getResolverFunction()) {
      Index To = symbol(*Resolver);
      Out.Symbols[I].Aliasee = To;
    }
  }
  Index O = object(G);
  Out.Symbols[I].Object = O;
  return I;
}

Index ModuleBuilder::object(const GlobalValue &G) {
  auto It = ObjectIndex.find(&G);
  if (It != ObjectIndex.end())
    return It->second;
  Index I = Out.Objects.size();
  ObjectIndex[&G] = I;
  Object O;
  O.Kind = isa<llvm::Function>(G) || isa<GlobalIFunc>(G) ? ObjectKind::Function : ObjectKind::Variable;
  if (const auto *A = dyn_cast<GlobalAlias>(&G))
    if (isa_and_nonnull<llvm::Function>(A->getAliaseeObject()))
      O.Kind = ObjectKind::Function;
  StringRef Name = G.getName();
  O.Name = string(Name);
  O.ThreadLocal = G.isThreadLocal();
  if (const auto *V = dyn_cast<GlobalVariable>(&G)) {
    O.Constant = V->isConstant() && V->hasDefinitiveInitializer();
    if (V->getValueType()->isSized())
      O.Size = DL.getTypeAllocSize(V->getValueType());
    SmallVector<DIGlobalVariableExpression *, 1> Info;
    V->getDebugInfo(Info);
    if (!Info.empty()) {
      const DIGlobalVariable *D = Info.front()->getVariable();
      O.Name = string(D->getName());
      O.Loc = loc(D->getFile(), D->getLine());
    }
  } else if (const auto *F = dyn_cast<llvm::Function>(&G)) {
    if (const DISubprogram *SP = F->getSubprogram()) {
      O.Name = string(SP->getName());
      O.Loc = loc(SP->getFile(), SP->getLine());
    }
  }
  Out.Objects.push_back(O);
  Index S = symbol(G);
  Out.Objects[I].Symbol = S;
  return I;
}

Index ModuleBuilder::inlineCopy(const llvm::Function &F) {
  auto [It, New] = InlineCopies.try_emplace(&F, Out.Symbols.size());
  if (!New)
    return It->second;
  Object O = Out.Objects[object(F)];
  Symbol S = Out.Symbols[symbol(F)];
  It = InlineCopies.find(&F);
  O.Symbol = It->second = Out.Symbols.size();
  S.Link = Linkage::Internal;
  S.Object = Out.Objects.size();
  S.Function = None;
  Out.Symbols.push_back(S);
  Out.Objects.push_back(O);
  return It->second;
}

/// A number may be the address of memory the program mapped there. The first page is never mapped, user space ends at 2^47.
static bool mayBeAddress(const APInt &N) { return N.getBitWidth() >= 64 && N.uge(4096) && N.getActiveBits() < 48; }

/// Every global inside a constant.
static void globalsIn(const Constant *C, SmallSetVector<const GlobalValue *, 4> &Found) {
  SmallVector<const Constant *, 8> Work{C};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Work.empty()) {
    const Constant *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (const auto *G = dyn_cast<GlobalValue>(Next)) {
      Found.insert(G);
      continue;
    }
    for (const Use &U : Next->operands())
      if (const auto *Part = dyn_cast<Constant>(U))
        Work.push_back(Part);
  }
}

void ModuleBuilder::escapeConstant(const Constant *C, ReasonCode Code) {
  SmallSetVector<const GlobalValue *, 4> Found;
  globalsIn(C, Found);
  for (const GlobalValue *G : Found) {
    Constraint E = make(ConstraintKind::Escape, None, constant(G));
    E.Code = Code;
    Global.push_back(E);
  }
}

Index ModuleBuilder::unionOf(const Constant *, ArrayRef<const Constant *> Parts, Displacement D) {
  Index V = None;
  for (const Constant *Part : Parts) {
    Index P = constant(Part);
    if (P == None)
      continue;
    if (V == None)
      V = newValue();
    Constraint C = make(ConstraintKind::Displace, V, P);
    C.Disp = D;
    Global.push_back(C);
  }
  return V;
}

Index ModuleBuilder::constant(const Constant *C) {
  auto It = ConstantIndex.find(C);
  if (It != ConstantIndex.end())
    return It->second;
  Index V = makeConstant(C);
  ConstantIndex[C] = V;
  return V;
}

Index ModuleBuilder::makeConstant(const Constant *C) {
  if (const auto *I = dyn_cast<ConstantInt>(C))
    return mayBeAddress(I->getValue()) ? untracked() : None;
  if (isa<ConstantData>(C)) // null, undef, poison, data arrays, floats, target types
    return None;
  if (const auto *G = dyn_cast<GlobalValue>(C)) {
    Index V = newValue();
    Global.push_back(make(ConstraintKind::AddressOf, V, object(*G)));
    if (const auto *F = dyn_cast<llvm::Function>(G); F && F->hasAvailableExternallyLinkage())
      Global.push_back(make(ConstraintKind::AddressOf, V, Out.Symbols[inlineCopy(*F)].Object));
    return V;
  }
  if (const auto *B = dyn_cast<BlockAddress>(C))
    return constant(B->getFunction());
  if (const auto *D = dyn_cast<DSOLocalEquivalent>(C))
    return constant(D->getGlobalValue());
  if (const auto *N = dyn_cast<NoCFIValue>(C))
    return constant(N->getGlobalValue());
  if (isa<ConstantAggregate>(C)) {
    SmallVector<const Constant *, 8> Parts;
    for (const Use &U : C->operands())
      Parts.push_back(cast<Constant>(U));
    return unionOf(C, Parts, {});
  }
  const auto *E = dyn_cast<ConstantExpr>(C);
  if (E && E->getOpcode() == Instruction::GetElementPtr) {
    const auto *Gep = cast<GEPOperator>(E);
    APInt Offset(DL.getIndexTypeSizeInBits(Gep->getType()), 0);
    Displacement D;
    if (!Gep->getType()->isVectorTy() && Gep->accumulateConstantOffset(DL, Offset))
      D.Offset = Offset.getSExtValue();
    else
      D.Stride = 1;
    return unionOf(C, {cast<Constant>(Gep->getPointerOperand())}, D);
  }
  if (E && E->getOpcode() == Instruction::IntToPtr && isa<ConstantInt>(E->getOperand(0))) {
    // An absolute address is memory of the outside; the first and the last page are never mapped: sentinels such as -1.
    const APInt &A = cast<ConstantInt>(E->getOperand(0))->getValue();
    return A.getBitWidth() <= 64 && (A.sextOrTrunc(64).sgt(-4096) && A.sextOrTrunc(64).slt(4096)) ? None : untracked();
  }
  if (E && E->isCast() && isTracked(E->getType(), DL) && isTracked(E->getOperand(0)->getType(), DL))
    return constant(E->getOperand(0));
  // Anything else: all symbols in it, anywhere; known to the outside if the result is too narrow to be followed.
  SmallSetVector<const GlobalValue *, 4> Found;
  globalsIn(C, Found);
  if (!isTracked(C->getType(), DL)) {
    escapeConstant(C, CodeNotModelled);
    return None;
  }
  SmallVector<const Constant *, 4> Parts(Found.begin(), Found.end());
  Displacement Anywhere;
  Anywhere.Stride = 1;
  return unionOf(C, Parts, Anywhere);
}

/// Numbers that may be addresses, in a whole array of them.
static bool holdsAddress(const ConstantDataSequential &D) {
  for (unsigned I = 0; D.getElementType()->isIntegerTy(64) && I < D.getNumElements(); ++I)
    if (mayBeAddress(D.getElementAsAPInt(I)))
      return true;
  return false;
}

void ModuleBuilder::initialise(Index Object, uint64_t Offset, Index V, uint64_t Width) {
  Index Address = newValue();
  Constraint A = make(ConstraintKind::AddressOf, Address, Object);
  A.Disp.Offset = Offset;
  Global.push_back(A);
  Constraint S = make(ConstraintKind::Store, Address, V, Out.Objects[Object].Loc);
  S.Width = Width;
  S.Code = 1;
  Global.push_back(S);
}

void ModuleBuilder::initialiser(Index Object, uint64_t Offset, const Constant *C) {
  if (const auto *D = dyn_cast<ConstantDataSequential>(C)) {
    if (holdsAddress(*D))
      initialise(Object, Offset, untracked(), DL.getTypeStoreSize(C->getType()));
    return;
  }
  if (isa<ConstantData>(C) && !isa<ConstantInt>(C))
    return;
  if (const auto *S = dyn_cast<ConstantStruct>(C)) {
    const StructLayout *L = DL.getStructLayout(S->getType());
    for (unsigned I = 0; I < S->getNumOperands(); ++I)
      initialiser(Object, Offset + L->getElementOffset(I).getFixedValue(), S->getOperand(I));
    return;
  }
  if (isa<ConstantArray>(C)) {
    uint64_t Size = DL.getTypeAllocSize(C->getType()->getArrayElementType());
    for (unsigned I = 0; I < C->getNumOperands(); ++I)
      initialiser(Object, Offset + I * Size, cast<Constant>(C->getOperand(I)));
    return;
  }
  if (!isTracked(C->getType(), DL))
    return escapeConstant(C, CodeNotModelled);
  if (Index V = constant(C); V != None)
    initialise(Object, Offset, V, DL.getTypeStoreSize(C->getType()));
}

void ModuleBuilder::summariseInitialisers() {
  for (const GlobalVariable &V : IR.globals()) {
    if (V.getName().starts_with("llvm."))
      continue;
    if (V.hasInitializer())
      initialiser(object(V), 0, V.getInitializer());
  }
}

void ModuleBuilder::markUsed() {
  for (bool CompilerUsed : {false, true}) {
    SmallVector<GlobalValue *, 8> Used;
    collectUsedGlobalVariables(IR, Used, CompilerUsed);
    for (const GlobalValue *G : Used)
      Out.Symbols[symbol(*G)].Used = true;
  }
  for (const char *List : {"llvm.global_ctors", "llvm.global_dtors"})
    if (const GlobalVariable *V = IR.getNamedGlobal(List))
      if (V->hasInitializer()) {
        SmallSetVector<const GlobalValue *, 4> Found;
        globalsIn(V->getInitializer(), Found);
        for (const GlobalValue *G : Found)
          symbol(*G);
      }
}

void ModuleBuilder::useNamesIn(StringRef Assembly) {
  StringRef Rest = Assembly;
  auto IsName = [](char C) { return isAlnum(C) || C == '_' || C == '.' || C == '$'; };
  while (!Rest.empty()) {
    Rest = Rest.drop_until(IsName);
    StringRef Word = Rest.take_while(IsName);
    Rest = Rest.drop_front(Word.size());
    if (const GlobalValue *G = Word.empty() ? nullptr : IR.getNamedValue(Word))
      Out.Symbols[symbol(*G)].Used = true;
  }
}

void ModuleBuilder::summariseSymbols() {
  Out.Name = string(IR.getSourceFileName());
  for (const GlobalValue &G : IR.global_values())
    if (!G.getName().starts_with("llvm."))
      symbol(G);
  markUsed();
  if (!IR.getModuleInlineAsm().empty()) {
    useNamesIn(IR.getModuleInlineAsm());
    Out.CodeUnknown = true;
  }
}

} // namespace freehold
