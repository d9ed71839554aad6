// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusion.h - the domain of subsets: a Graph of sets and a Memory of accesses.
#pragma once

#include "solver/Memory.h"

namespace freehold {

class Inclusion final : public Domain, public Rules {
public:
  Inclusion(const Program &P, const SolverOptions &O, Index NumValues, Index NumObjects, CallRules &Told)
      : Told(Told), G(P, O, NumValues, NumObjects, *this), Mem(P, O, *this, G, NumObjects) {}

  Index newTemporary(Index Id) override { return G.newNode(NodeName::Temporary, Id); }
  void point(Index Node, Index Object, const Offsets &Where) override { G.add(Node, G.location(Object, Where)); }
  void setExternal(Index Node) override { G.setExternal(Node); }
  void escapePointees(Index Node, Index Cause) override { G.escapePointees(Node, Cause); }
  void escape(Index Object, Index Cause) override { G.escape(Object, Cause); }
  bool escaped(Index Object) const override { return G.escaped(Object); }
  Index escapeCause(Index Object) const override { return G.escapeCause(Object); }
  void flow(Index From, Index To) override { G.addEdge(From, To); }
  void flow(Index From, Index To, const Displacement &D) override { G.addEdge(From, To, G.displacementId(D)); }
  void index(Index From, Index To) override { G.addEdge(From, To, G.displacementId({0, 1, 0}), false); }
  void load(Index From, Index To, uint64_t Width) override { G.addUse(From, {UseKind::Load, To, Width}); }
  void store(Index To, Index What, uint64_t Width, bool Initialiser) override {
    G.addUse(To, {Initialiser ? UseKind::Initialise : UseKind::Store, What, Width});
  }
  void narrowLoad(Index From, uint64_t Width, Index Cause) override { G.addUse(From, {UseKind::NarrowLoad, None, Width, Cause}); }
  void untrackedStore(Index To, uint64_t Width, bool Zero) override {
    G.addUse(To, {Zero ? UseKind::Zero : UseKind::Untracked, None, Width});
  }
  Index copy(Index To, Index From, uint64_t Width, SourceLoc Loc, NodeName Name, Index Constraint) override;
  void copyUnknown(Index Copy, bool Source, bool Target) override;
  void callThrough(Index Callee, Index Site) override { G.addUse(Callee, {UseKind::Callee, Site}); }
  bool isExternal(Index Node) const override { return G.node(Node).External; }
  bool isEmpty(Index Node) const override { return G.node(Node).isEmpty(); }
  bool mayAlias(Index A, Index B) const override;
  bool step() override { return Mem.step() || G.step(); }
  bool isOver() const override { return G.isOver(); }
  void log(DecisionLog &Log, llvm::function_ref<NodeName(Index)> NameOfTemporary) const override;
  void extract(Solution &S, Index NumValues) const override;

private:
  CallRules &Told;
  Graph G;
  Memory Mem;

  void pointee(const NodeUse &U, Location L) override;
  void external(const NodeUse &U, Index Why) override;
  void absorbed(const NodeUse &U, Index Why) override;
  void escaped(Index Object, Index Cause) override;
  Index saturated() override;
  NodeName name(Index Node, llvm::function_ref<NodeName(Index)> NameOfTemporary) const;
};

} // namespace freehold
