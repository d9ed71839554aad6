// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolve.cpp - reads the linker's answer off the merged module at the early point of full LTO.
//
// By then a definition that did not prevail is a declaration (or available_externally), a symbol that nothing outside the bitcode
// refers to is internal, and what is dead is gone. So presence with our tag means "ours prevailed", and linkage tells what the
// outside reaches. A strong definition that is absent was inlined or unused: had another one prevailed, the link would have
// failed with a duplicate symbol; only where two summaries define it strongly (--allow-multiple-definition) nobody knows.

#include "Resolve.h"
#include "Allocation.h"
#include "summary/SummaryBuilder.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace freehold {
namespace {

/// Names in module assembly, parsed where the target can and by every word besides.
struct AssemblyNames {
  StringSet<> Defined, Mentioned;

  explicit AssemblyNames(const llvm::Module &M) {
    StringRef Text = M.getModuleInlineAsm();
    if (Text.empty())
      return;
    ModuleSymbolTable::CollectAsmSymbols(M, [&](StringRef Name, object::BasicSymbolRef::Flags Flags) {
      Mentioned.insert(Name);
      if (!(Flags & object::BasicSymbolRef::SF_Undefined))
        Defined.insert(Name);
    });
    constexpr StringLiteral Word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
    while (!(Text = Text.drop_until([&](char C) { return Word.contains(C); })).empty()) {
      StringRef Name = Text.take_while([&](char C) { return Word.contains(C); });
      Mentioned.insert(Name);
      Text = Text.drop_front(Name.size());
    }
  }
};

/// What the summaries say of one name.
struct Claims {
  unsigned Strong = 0;
  bool ODR = false; ///< a copy that is equal to all others
};

} // namespace

static uint64_t tagOf(const llvm::Function &F) {
  uint64_t Tag = 0;
  if (F.getFnAttribute(FunctionTagAttribute).getValueAsString().getAsInteger(16, Tag))
    return 0;
  return Tag;
}

static StringMap<Claims> collectClaims(ArrayRef<Module> Summaries) {
  StringMap<Claims> All;
  for (const Module &S : Summaries)
    for (const Symbol &Sym : S.Symbols) {
      // What nobody here defines needs no resolution: it is the outside's anyway.
      if (Sym.Link == Linkage::Internal || Sym.Link == Linkage::Declared || Sym.Name == None)
        continue;
      Claims &C = All[S.Strings[Sym.Name]];
      C.Strong += Sym.Link == Linkage::External;
      C.ODR |= Sym.Link == Linkage::ODR || Sym.Link == Linkage::Common;
    }
  return All;
}

static SymbolResolution resolvePresent(const GlobalValue &G, const Claims &C, bool Foreign) {
  SymbolResolution R;
  R.VisibleOutside = !G.hasLocalLinkage() || Foreign;
  if (G.isDeclaration() || G.hasAvailableExternallyLinkage()) {
    R.DefinedOutside = true;
    R.VisibleOutside = true;
    return R;
  }
  if (const auto *F = dyn_cast_or_null<llvm::Function>(G.getAliaseeObject())) {
    R.PrevailingTag = tagOf(*F);
    // Objects of an older build have no tag on an internal function that an alias stands for; it is ours if it carries our mark.
    R.DefinedOutside = !R.PrevailingTag && (isa<llvm::Function>(G) || Foreign || !F->hasFnAttribute(OwnAttribute));
    return R;
  }
  // A variable: initialisers of several copies add up, so which of ours prevailed does not matter.
  R.DefinedOutside = Foreign && !C.Strong;
  return R;
}

static SymbolResolution resolveAbsent(const Claims &C, bool Foreign) {
  SymbolResolution R;
  R.VisibleOutside = Foreign;
  R.DefinedOutside = C.Strong > 1 || (C.Strong == 0 && !C.ODR);
  return R;
}

bool hasForeignCode(const llvm::Module &M, size_t SummaryCount) {
  for (const llvm::Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(OwnAttribute))
      return true;
  // Clang leaves one operand a module: a file of variables only shows here.
  const NamedMDNode *Ident = M.getNamedMetadata("llvm.ident");
  return Ident && Ident->getNumOperands() > SummaryCount;
}

std::vector<std::string> redefinedNames(const llvm::Module &M, const Config &C) {
  std::vector<std::string> Names = C.Wrapped;
  std::vector<std::string> Elsewhere = C.Plain;
  if (!C.MallocIsOurs) // a malloc of the user's stands for its whole family
    Elsewhere.insert(Elsewhere.end(), {"malloc", "calloc", "realloc", "free"});
  for (const std::string &Name : Elsewhere) {
    const GlobalValue *G = M.getNamedValue(Name);
    if (!G || G->isDeclarationForLinker()) // else the definition in bitcode prevailed
      Names.push_back(Name);
  }
  return Names;
}

Resolution resolveFromLink(const llvm::Module &M, ArrayRef<Module> Summaries, bool Foreign, const Config &C) {
  Resolution R;
  R.HasLinker = true;
  R.WholeProgram = !C.Shared;
  for (const std::string &Name : redefinedNames(M, C))
    R.Redefined.insert(Name);
  for (const auto &[Name, Where] : C.PlainIn)
    if (R.Redefined.contains(Name) && !is_contained(C.Wrapped, Name) && !Where.empty())
      R.PlainFiles[Name] = Where;
  AssemblyNames Assembly(M);
  SmallVector<GlobalValue *, 8> Used;
  collectUsedGlobalVariables(M, Used, /*CompilerUsed=*/false);
  StringSet<> UsedNames;
  for (GlobalValue *G : Used)
    UsedNames.insert(G->getName());
  for (const auto &Entry : collectClaims(Summaries)) {
    StringRef Name = Entry.getKey();
    const GlobalValue *G = M.getNamedValue(Name);
    SymbolResolution S = G ? resolvePresent(*G, Entry.getValue(), Foreign) : resolveAbsent(Entry.getValue(), Foreign);
    S.VisibleOutside |= Assembly.Mentioned.contains(Name) || UsedNames.contains(Name);
    S.DefinedOutside |= Assembly.Defined.contains(Name);
    R.Symbols[Name] = S;
  }
  return R;
}

} // namespace freehold
