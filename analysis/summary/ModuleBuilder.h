// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ModuleBuilder.h - what the parts of the summary builder share: strings, symbols, objects, values and constants of one module.
// Private to analysis/summary.
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

namespace freehold {

/// Reason codes the builder gives (docs/reasons).
enum : ReasonCode {
  CodeBitsHidden = 201,
  CodeAssembly = 202,
  CodeNotModelled = 203,
  CodeStackSwitch = 206,
  CodeCorrectProgram = 902,
};

/// May a value of this type hold a whole pointer? (64 bits or more of anything)
bool isTracked(const llvm::Type *T, const llvm::DataLayout &DL);

class ModuleBuilder {
public:
  explicit ModuleBuilder(const llvm::Module &IR) : IR(IR), DL(IR.getDataLayout()) {}

  const llvm::Module &IR;
  const llvm::DataLayout &DL;
  Module Out;

  Index string(llvm::StringRef S);
  SourceLoc loc(const llvm::DILocation *L);
  SourceLoc loc(const llvm::DIFile *File, unsigned Line, unsigned Column = 0);
  Index newValue(Index Name = None);
  /// The one value of untracked bits: external, never a pointer anybody gave us.
  Index untracked();

  Index symbol(const llvm::GlobalValue &G);
  Index object(const llvm::GlobalValue &G);
  /// An available_externally body may be inlined in this module, and need not be equal to what prevails (C11 6.7.4p7): it is an
  /// internal function besides, which every call and every address of the real one means too.
  Index inlineCopy(const llvm::Function &F);

  /// The value of a constant; None if it cannot hold an address. Cached for the module; its constraints are always active.
  Index constant(const llvm::Constant *C);
  /// All symbols inside a constant that is not understood, or that is too narrow to be tracked, escape.
  void escapeConstant(const llvm::Constant *C, ReasonCode Code);

  void summariseSymbols();
  void summariseInitialisers();
  /// Marks symbols named in assembly text as seen from outside.
  void useNamesIn(llvm::StringRef Assembly);

  /// Constraints that are always active; appended to Out.Constraints at the end.
  std::vector<Constraint> Global;

  static Constraint make(ConstraintKind K, Index Dst, Index Src, SourceLoc L = {});

private:
  llvm::StringMap<Index> StringIndex;
  llvm::DenseMap<const llvm::GlobalValue *, Index> SymbolIndex, ObjectIndex, InlineCopies;
  llvm::DenseMap<const llvm::Constant *, Index> ConstantIndex;
  Index Untracked = None;

  Index makeConstant(const llvm::Constant *C);
  Index unionOf(const llvm::Constant *C, llvm::ArrayRef<const llvm::Constant *> Parts, Displacement D);
  void initialise(Index Object, uint64_t Offset, Index V, uint64_t Width);
  void initialiser(Index Object, uint64_t Offset, const llvm::Constant *C);
  void markUsed();
};

} // namespace freehold
