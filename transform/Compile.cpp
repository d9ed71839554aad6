// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile.cpp - the compile step. Clang marks a module whose bitcode is meant for full LTO by the module flag ThinLTO = 0,
// one for either kind by UnifiedLTO = 1 (the wrapper links that as full); any other compile (native code only, ThinLTO) could not
// be renamed back at a link and is left alone.

#include "Compile.h"
#include "Allocation.h"
#include "SiteNames.h"
#include "summary/SummaryBuilder.h"
#include "summary/SummaryIO.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace freehold {

static bool goesToFullLTO(const llvm::Module &M) {
  auto *Thin = mdconst::dyn_extract_or_null<ConstantInt>(M.getModuleFlag("ThinLTO"));
  auto *Unified = mdconst::dyn_extract_or_null<ConstantInt>(M.getModuleFlag("UnifiedLTO"));
  return Thin ? Thin->isZero() : Unified && Unified->isOne();
}

static void setText(llvm::Module &M, const char *Name, StringRef Text) {
  NamedMDNode *Node = M.getOrInsertNamedMetadata(Name);
  Node->clearOperands();
  Node->addOperand(MDNode::get(M.getContext(), MDString::get(M.getContext(), Text)));
}

/// A section that the loader, or a walk from __start_NAME, reads: what an object file puts there stays there, although nothing
/// names it. The link makes exported variables internal and would drop them.
static void keepSectionMembers(llvm::Module &M) {
  SmallVector<GlobalValue *, 4> Members;
  for (GlobalVariable &V : M.globals()) {
    StringRef Section = V.getSection();
    bool Read = !Section.starts_with(".") || Section.starts_with(".init_array") || Section.starts_with(".fini_array") ||
                Section.starts_with(".preinit_array") || Section.starts_with(".ctors") || Section.starts_with(".dtors");
    if (V.hasSection() && Read && !V.isDeclaration() && !V.hasLocalLinkage() && !V.hasAvailableExternallyLinkage() &&
        !V.getName().starts_with("llvm."))
      Members.push_back(&V);
  }
  if (!Members.empty())
    appendToCompilerUsed(M, Members);
}

/// Remarks are told by them, sample profiles found by them.
static bool needsLocations(const llvm::Module &M) {
  LLVMContext &C = M.getContext();
  return C.getMainRemarkStreamer() || C.getDiagHandlerPtr()->isAnyRemarkEnabled() ||
         M.getNamedMetadata("llvm.pseudo_probe_desc") ||
         any_of(M, [](const llvm::Function &F) { return F.hasFnAttribute("use-sample-profile"); });
}

bool compileModule(llvm::Module &M, bool Check, bool Debug) {
  if (!goesToFullLTO(M))
    return false;
  keepSectionMembers(M);
  assignIds(M);
  setText(M, SummaryMetadata, writeSummary(buildSummary(M)));
  if (Check)
    setText(M, CheckMetadata, M.getSourceFileName());
  for (llvm::Function &F : M) {
    if (F.isDeclaration())
      continue;
    F.addFnAttr(OwnAttribute);
    if (Check)
      F.addFnAttr(CheckAttribute);
  }
  renameSites(M);
  if (!Debug && !Check && !needsLocations(M)) // two fifths of the object otherwise, and time in each pass
    StripDebugInfo(M);
  return true;
}

bool restoreNativeHalf(llvm::Module &M, bool Debug) {
  bool Embedded = M.getNamedGlobal("llvm.embedded.object");
  if (!Embedded && goesToFullLTO(M))
    return false;
  if (!Debug) // dropped from the object afterwards, they cost another process a file
    StripDebugInfo(M);
  return M.getNamedMetadata(SummaryMetadata) && stripMarks(M);
}

} // namespace freehold
