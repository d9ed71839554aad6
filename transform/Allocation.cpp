// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation.cpp - the table of allocation functions and the making of their stand-ins.

#include "Allocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"

using namespace llvm;

namespace freehold {

/// Aligned forms of new, and memalign, have no local twin: their sites stay shared.
static const AllocationFunction Table[] = {
    {"malloc", "fh_tls_malloc", Family::Malloc},
    {"calloc", "fh_tls_calloc", Family::Malloc},
    {"realloc", "fh_tls_realloc", Family::Malloc},
    {"reallocarray", "fh_tls_reallocarray", Family::Malloc},
    {"aligned_alloc", "fh_tls_aligned_alloc", Family::Malloc},
    {"memalign", nullptr, Family::Malloc},
    {"valloc", nullptr, Family::Malloc},
    {"pvalloc", nullptr, Family::Malloc},
    {"posix_memalign", "fh_tls_posix_memalign", Family::Malloc},
    {"strdup", "fh_tls_strdup", Family::Malloc},
    {"strndup", "fh_tls_strndup", Family::Malloc},
    {"_Znwm", "fh_tls_new", Family::New},
    {"_Znam", "fh_tls_new", Family::New},
    {"_ZnwmRKSt9nothrow_t", "fh_tls_new_nothrow", Family::New},
    {"_ZnamRKSt9nothrow_t", "fh_tls_new_nothrow", Family::New},
    {"_ZnwmSt11align_val_t", nullptr, Family::New},
    {"_ZnamSt11align_val_t", nullptr, Family::New},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", nullptr, Family::New},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", nullptr, Family::New},
};

const AllocationFunction *findAllocation(StringRef Name) {
  for (const AllocationFunction &F : Table)
    if (Name == F.Name)
      return &F;
  return nullptr;
}

bool belongsToFamily(StringRef Name, Family F) {
  if (F == Family::New && (Name.starts_with("_Zdl") || Name.starts_with("_Zda")))
    return true;
  if (F == Family::Malloc && (Name == "free" || Name == "cfree" || Name == "malloc_usable_size"))
    return true;
  const AllocationFunction *A = findAllocation(Name);
  // strdup and strndup only use malloc: a program's own is an ordinary function.
  return A && A->Of == F && !Name.starts_with("str");
}

std::string newFamily(StringRef Name) {
  // The mangled name of the plain or array form with the same parameters, as LLVM pairs it with delete.
  return Name.substr(0, Name.contains("align_val_t") ? 20 : 5).str();
}

/// Operator new has no allockind in LLVM's tables (calls of it are known by name), so its stand-in needs one.
static void completeAttributes(Function &F, StringRef Name) {
  const AllocationFunction *A = findAllocation(Name);
  if (!A || A->Of != Family::New)
    return;
  AllocFnKind Kind = AllocFnKind::Alloc | AllocFnKind::Uninitialized;
  if (Name.contains("align_val_t")) {
    Kind |= AllocFnKind::Aligned;
    F.addParamAttr(1, Attribute::AllocAlign);
  }
  F.addFnAttr(Attribute::get(F.getContext(), Attribute::AllocKind, uint64_t(Kind)));
  F.addFnAttr("alloc-family", newFamily(Name));
  F.addRetAttr(Attribute::NoAlias);
}

Function *declareLike(Function &Model, StringRef NewName) {
  Module &M = *Model.getParent();
  if (GlobalValue *Old = M.getNamedValue(NewName)) {
    auto *F = dyn_cast<Function>(Old);
    return F && F->getFunctionType() == Model.getFunctionType() ? F : nullptr;
  }
  Function *F = Function::Create(Model.getFunctionType(), GlobalValue::ExternalLinkage, Model.getAddressSpace(), NewName, &M);
  F->copyAttributesFrom(&Model);
  // LLVM's library knowledge goes by name: give it to a declaration that bears the name for that moment. Like LLVM itself not to
  // a nobuiltin one (operator new): else the passes between here and the native half would know more than in a plain compile.
  if (Model.isDeclaration() && !Model.hasFnAttribute(Attribute::NoBuiltin)) {
    TargetLibraryInfoImpl Impl{Triple(M.getTargetTriple())};
    TargetLibraryInfo TLI(Impl);
    AttributeList Before = Model.getAttributes();
    inferNonMandatoryLibFuncAttrs(Model, TLI);
    F->setAttributes(Model.getAttributes());
    Model.setAttributes(Before);
  }
  F->removeFnAttr(Attribute::NoBuiltin);
  F->removeFnAttr(Attribute::Builtin);
  F->setVisibility(GlobalValue::DefaultVisibility);
  F->setDSOLocal(false);
  completeAttributes(*F, Model.getName());
  return F;
}

} // namespace freehold
