// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine.h - the solver of the product: constraints and calls on a Domain, and the rounds.
#pragma once

#include "solver/Calls.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace freehold {

class Engine final : public Constrainer {
public:
  Engine(const Program &P, const Models &M, const SolverOptions &O);
  Solution run();

private:
  const Program &P;
  SolverOptions O;
  SolverIds Ids;
  Solution S;
  Calls Sites;
  std::unique_ptr<Domain> D;
  std::vector<bool> Decided;           ///< per constraint
  llvm::DenseMap<Index, Index> CopyOf; ///< constraint to copy

  void constrain(const Constraint &C, Index Id, llvm::StringRef By, const NodeName &Name) override;
  void start();
  void propagate();
  bool decide();
  void decideConstraint(Index Id, bool EmptySource, bool EmptyTarget);
  void extract();
};

} // namespace freehold
