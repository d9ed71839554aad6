// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies.cpp - a program of any size made of a real one: its modules again, with a new name for all that they define. What they
// only use, the C library above all, keeps its name and is shared, and so is whatever escapes.

#include "Programs.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace freehold {
namespace {

/// What the program itself defines and others of its modules may name.
StringSet<> ownNames(const OneProgram &P) {
  StringSet<> Names;
  for (const Module &M : P.Modules)
    for (const Symbol &S : M.Symbols) {
      bool Defines =
          S.Link == Linkage::External || S.Link == Linkage::Weak || S.Link == Linkage::ODR || S.Link == Linkage::Common;
      if (!Defines || S.Name == None)
        continue;
      auto Known = P.Symbols.Symbols.find(M.str(S.Name));
      if (Known == P.Symbols.Symbols.end() || !Known->getValue().DefinedOutside)
        Names.insert(M.str(S.Name));
    }
  return Names;
}

std::string newName(StringRef Name, unsigned Copy) { return (Name + ".copy" + Twine(Copy)).str(); }

Module renamed(const Module &Original, const StringSet<> &Own, unsigned Copy) {
  Module M = Original;
  for (Symbol &S : M.Symbols)
    if (S.Link != Linkage::Internal && S.Name != None && Own.contains(M.str(S.Name))) {
      M.Strings.push_back(newName(M.str(S.Name), Copy));
      S.Name = M.Strings.size() - 1;
    }
  for (Site &S : M.Sites) // sites of equal id are one
    S.Id += Copy * 0x9e3779b97f4a7c15;
  return M;
}

} // namespace

void copyUnderNewNames(OneProgram &P, unsigned Copies) {
  if (Copies < 2)
    return;
  StringSet<> Own = ownNames(P);
  size_t Modules = P.Modules.size();
  P.Modules.reserve(Modules * Copies);
  for (unsigned Copy = 1; Copy < Copies; ++Copy) {
    for (size_t I = 0; I < Modules; ++I)
      P.Modules.push_back(renamed(P.Modules[I], Own, Copy));
    for (const auto &Name : Own) {
      auto Known = P.Symbols.Symbols.find(Name.getKey());
      SymbolResolution S = Known == P.Symbols.Symbols.end() ? SymbolResolution() : Known->getValue();
      S.VisibleOutside |= Name.getKey() == "main"; // nothing else would start it
      P.Symbols.Symbols[newName(Name.getKey(), Copy)] = S;
    }
  }
}

} // namespace freehold
