// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AllocationCalls.cpp - which calls are allocation sites that can be rewritten, and the ids they get.
//
// An id is a hash of the source function's linkage name, the source position and an ordinal, never of a module's path, so that
// the copies of an inline function in several modules agree. Internal functions of one name in different files are told apart
// by the file's base name; should two ids still be equal, their verdicts are joined, which is sound.
#include "summary/SummaryBuilder.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace freehold {
namespace {

/// Type letters as in Models.h: result, then parameters.
struct AllocationFn {
  StringLiteral Name, Type;
  bool New;
};

constexpr AllocationFn Known[] = {
    {"malloc", "pi", false},
    {"calloc", "pii", false},
    {"realloc", "ppi", false},
    {"reallocarray", "ppii", false},
    {"aligned_alloc", "pii", false},
    {"posix_memalign", "ipii", false},
    {"strdup", "pp", false},
    {"strndup", "ppi", false},
    {"_Znwm", "pi", true},
    {"_Znam", "pi", true},
    {"_ZnwmRKSt9nothrow_t", "pip", true},
    {"_ZnamRKSt9nothrow_t", "pip", true},
    {"_ZnwmSt11align_val_t", "pii", true},
    {"_ZnamSt11align_val_t", "pii", true},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", "piip", true},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", "piip", true},
};

char letter(const Type *T) { return T->isPointerTy() ? 'p' : T->isIntegerTy() ? 'i' : '?'; }

bool fits(const FunctionType *T, StringRef Letters) {
  if (T->isVarArg() || T->getNumParams() + 1 != Letters.size() || letter(T->getReturnType()) != Letters[0])
    return false;
  for (unsigned I = 0; I < T->getNumParams(); ++I)
    if (letter(T->getParamType(I)) != Letters[I + 1])
      return false;
  return true;
}

const AllocationFn *lookUp(StringRef Name) {
  for (const AllocationFn &A : Known)
    if (A.Name == Name)
      return &A;
  return nullptr;
}

/// The source function a call was written in, even if it was inlined since, and its key for hashing.
std::string sourceFunction(const Instruction &I) {
  const llvm::Function *F = I.getFunction();
  bool Internal = F->hasLocalLinkage();
  std::string Name = F->getName().str();
  const DILocation *L = I.getDebugLoc();
  if (L) {
    const DISubprogram *SP = L->getScope()->getSubprogram();
    Name = (SP->getLinkageName().empty() ? SP->getName() : SP->getLinkageName()).str();
    Internal = SP->isLocalToUnit();
  }
  if (Internal)
    Name += "@" + sys::path::filename(L ? L->getFilename() : StringRef(F->getParent()->getSourceFileName())).str();
  return Name;
}

} // namespace

std::string allocationFunction(const CallBase &Call) {
  const auto *F = dyn_cast<llvm::Function>(Call.getCalledOperand()->stripPointerCasts());
  if (!F || !F->isDeclaration() || F->isIntrinsic() || F->hasLocalLinkage())
    return {};
  const AllocationFn *A = lookUp(F->getName());
  if (!A || !fits(Call.getFunctionType(), A->Type) || !fits(F->getFunctionType(), A->Type))
    return {};
  return F->getName().str();
}

bool assignIds(llvm::Module &M) {
  bool Changed = false;
  SmallPtrSet<const GlobalObject *, 8> Aliased; // others may replace the alias of an internal function too
  for (const GlobalAlias &A : M.aliases())
    if (!A.hasLocalLinkage())
      Aliased.insert(A.getAliaseeObject());
  for (llvm::Function &F : M) {
    if (F.isDeclaration())
      continue;
    if ((!F.hasLocalLinkage() || Aliased.contains(&F)) && !F.hasFnAttribute(FunctionTagAttribute)) {
      std::string Key = F.getName().str() + '\n' + M.getSourceFileName();
      if (const DISubprogram *SP = F.getSubprogram())
        if (const DICompileUnit *CU = SP->getUnit())
          Key += '\n' + CU->getDirectory().str();
      F.addFnAttr(FunctionTagAttribute, utohexstr(xxh3_64bits(Key) | 1, true, 16));
      Changed = true;
    }
    StringMap<unsigned> Ordinals;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      std::string Callee = allocationFunction(*Call);
      if (Callee.empty())
        continue;
      std::string Key = sourceFunction(I) + '\n' + Callee;
      if (const DILocation *L = I.getDebugLoc())
        Key += '\n' + std::to_string(L->getLine()) + ':' + std::to_string(L->getColumn());
      Key += '\n' + std::to_string(Ordinals[Key]++);
      if (Call->hasFnAttr(SiteAttribute))
        continue;
      Call->addFnAttr(Attribute::get(M.getContext(), SiteAttribute, utohexstr(xxh3_64bits(Key), true, 16)));
      Changed = true;
    }
  }
  return Changed;
}

} // namespace freehold
