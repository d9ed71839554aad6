// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SanitizerChecks.h - which instructions of a function only serve UBSan's checks. Private to analysis/summary.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"

namespace freehold {

class SanitizerChecks {
public:
  explicit SanitizerChecks(const llvm::Function &F);
  /// A check's call of its handler, or an instruction whose result goes nowhere but into checks.
  bool only(const llvm::Instruction &I);

private:
  llvm::SmallPtrSet<const llvm::Instruction *, 8> Handlers;     ///< calls
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> Wrong;         ///< run by no correct program
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> WithoutEffect; ///< nothing depends on whether they run
  llvm::DenseMap<const llvm::Instruction *, bool> Answers;

  bool decidesNothing(const llvm::Instruction &Terminator) const;
};

} // namespace freehold
