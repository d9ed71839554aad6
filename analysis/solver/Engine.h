// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine.h - the solver of the product: constraints on a Graph, with Memory and Calls, and the rounds.
#pragma once

#include "solver/Calls.h"

namespace freehold {

class Engine final : public Rules, public Constrainer {
public:
  Engine(const Program &P, const Models &M, const SolverOptions &O);
  Solution run();

  // What the verifier looks at.
  const Graph &graph() const { return G; }
  const Memory &memory() const { return Mem; }
  const Calls &calls() const { return Sites; }
  const SolverIds &ids() const { return Ids; }

private:
  const Program &P;
  SolverOptions O;
  SolverIds Ids;
  Solution S;
  Graph G;
  Memory Mem;
  Calls Sites;
  std::vector<bool> Decided;           ///< per constraint
  llvm::DenseMap<Index, Index> CopyOf; ///< constraint to copy

  void pointee(const NodeUse &U, Location L) override;
  void external(const NodeUse &U, Index Why) override;
  void absorbed(const NodeUse &U, Index Why) override;
  void escaped(Index Object, Index Cause) override;
  void constrain(const Constraint &C, Index Id, llvm::StringRef By, const NodeName &Name) override;

  void start();
  void propagate();
  bool decide();
  void decideConstraint(Index Id, bool EmptySource, bool EmptyTarget);
  bool mayAlias(Index A, Index B) const;
  NodeName name(Index Node) const;
  void log();
  void extract();
};

} // namespace freehold
