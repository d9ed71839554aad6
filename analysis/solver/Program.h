// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program.h - all modules of a link as one, with global dense ids.
//
// Merging renumbers every id of every module, unifies symbols by linkage name and decides which definition counts: a definition
// that did not prevail is void, and if what prevailed is not ours the symbol is external. Internal symbols always count;
// ODR copies all count (union), since any of them may have been inlined.
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace freehold {

/// What the linker (or a simulation of it) knows about one symbol name.
struct SymbolResolution {
  bool DefinedOutside = false; ///< the definition that prevailed is not in any of our modules
  uint64_t PrevailingTag = 0;  ///< Function::Tag of the definition that prevailed; 0: unknown, a strong one if there is one
  bool VisibleOutside = false; ///< called, read or exported from outside our modules
};

struct Resolution {
  bool WholeProgram = true;    ///< defines main and nobody outside calls anything but main and what is VisibleOutside
  bool HasLinker = false;      ///< Symbols came from a linker; else defaultResolution made them
  bool AllDefinitions = false; ///< without a linker nobody knows which of several definitions of a name prevails: all count
  llvm::StringMap<SymbolResolution> Symbols; ///< a name not in here: not VisibleOutside, strong definition prevails
  llvm::StringSet<> Redefined;               ///< --wrap, --defsym, objcopy: no model and no definition of ours holds
  llvm::StringMap<std::string> PlainFiles;   ///< of those: what defines the name, and why it is not known
};

/// How `freehold analyze` takes its inputs without a linker: with a main a whole program, else a library (every symbol that
/// is neither internal nor hidden is VisibleOutside).
Resolution defaultResolution(llvm::ArrayRef<Module> Modules);

/// One link. The vectors are as in Module, with global ids; Strings are shared. Function/Symbol indices of Objects, Calls, ...
/// are global. Symbols of one name are one entry (internal ones stay apart).
struct Program {
  std::vector<std::string> Strings;
  std::vector<Symbol> Symbols;
  std::vector<Object> Objects;
  std::vector<Index> ValueNames;
  std::vector<Constraint> Constraints;
  std::vector<Function> Functions; ///< only definitions that count; of several ODR copies all (each with its own index)
  std::vector<Call> Calls;
  std::vector<Site> Sites;
  std::vector<Note> Notes;
  std::vector<Index> GlobalConstraints; ///< indices of constraints that are always active

  std::vector<llvm::SmallVector<Index, 1>> Definitions;  ///< per symbol: functions that define it; empty: external
  std::vector<bool> SymbolVisible;                       ///< per symbol: the outside reaches it
  llvm::DenseMap<std::pair<Index, Index>, Index> Clones; ///< (call, function) to the copy made for that call (Contexts.h)
  llvm::StringMap<Index> SymbolByName;                   ///< non-internal symbols
  llvm::StringSet<> Redefined;
  llvm::StringMap<std::string> PlainFiles;
  bool WholeProgram = true;
  uint32_t Frees = 0;

  std::string str(Index I) const { return I == None ? std::string() : Strings[I]; }
  /// What a call of F binds to: the copy made for it, or F itself.
  Index calleeIn(Index Call, Index F) const {
    auto It = Clones.find({Call, F});
    return It == Clones.end() ? F : It->second;
  }
};

Program mergeModules(llvm::ArrayRef<Module> Modules, const Resolution &R);

} // namespace freehold
