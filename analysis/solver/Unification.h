// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unification.h - the domain of equalities (Steensgaard, POPL 1996), field-insensitive.
//
// Each value and each object belongs to a class; what two values of one class point to is the same, and what their pointees hold
// is the same again: a class has one class of contents. One class is *outside*: what is external points to it, what escapes is in
// it, and it is its own contents. Every rule joins classes, so the cost is almost linear in the program. A class of more than
// SetLimit objects joins outside, which bounds the sets of a solution.
#pragma once

#include "solver/Domain.h"
#include <deque>

namespace freehold {

class Unification final : public Domain {
public:
  Unification(const Program &P, const SolverOptions &O, Index NumValues, Index NumObjects, CallRules &Told);

  Index newTemporary(Index Id) override;
  void point(Index Node, Index Object, const Offsets &) override { join(Pointees[Node], Where[Object], None); }
  void setExternal(Index Node) override { join(Pointees[Node], Outside, None); }
  void escapePointees(Index Node, Index Cause) override { join(Pointees[Node], Outside, Cause); }
  void escape(Index Object, Index Cause) override { join(Where[Object], Outside, Cause); }
  bool escaped(Index Object) const override { return EscapeCauses[Object] != None; }
  Index escapeCause(Index Object) const override { return EscapeCauses[Object]; }
  void flow(Index From, Index To) override { join(Pointees[From], Pointees[To], None); }
  void flow(Index From, Index To, const Displacement &) override { flow(From, To); }
  void index(Index From, Index To) override { flow(From, To); }
  void load(Index From, Index To, uint64_t) override { join(Pointees[To], contents(Pointees[From]), None); }
  void store(Index To, Index What, uint64_t, bool) override { load(To, What, 0); }
  void narrowLoad(Index From, uint64_t, Index Cause) override { join(contents(Pointees[From]), Outside, Cause); }
  void untrackedStore(Index To, uint64_t, bool Zero) override {
    if (!Zero)
      join(contents(Pointees[To]), Outside, None);
  }
  Index copy(Index To, Index From, uint64_t, SourceLoc, NodeName, Index) override;
  void copyUnknown(Index Copy, bool Source, bool Target) override;
  void callThrough(Index Callee, Index Site) override;
  bool isExternal(Index Node) const override { return find(Pointees[Node]) == find(Outside); }
  bool isEmpty(Index Node) const override { return !isExternal(Node) && Classes[find(Pointees[Node])].Objects.empty(); }
  bool mayAlias(Index A, Index B) const override { return find(Pointees[A]) == find(Pointees[B]); }
  bool step() override;
  bool isOver() const override { return Work > O.WorkLimit; }
  void log(DecisionLog &, llvm::function_ref<NodeName(Index)>) const override {}
  void extract(Solution &S, Index NumValues) const override;

private:
  struct Class {
    Index Parent = None; ///< None: a representative
    Index Contents = None;
    uint32_t Size = 1;
    std::vector<Index> Objects;
    std::vector<Index> Sites; ///< that call through it
  };
  struct Join {
    Index A, B, Cause;
  };
  const Program &P;
  const SolverOptions &O;
  CallRules &Told;
  mutable std::vector<Class> Classes;
  std::vector<Index> Pointees; ///< per node: the class it points to
  std::vector<Index> Where;    ///< per object: its class
  std::vector<Index> EscapeCauses;
  std::vector<std::pair<Index, Index>> Copies; ///< the contents' classes of source and target
  Index Outside = 0;
  std::deque<Join> Joins;
  std::deque<std::pair<Index, Index>> Calls; ///< site, function object; None: external
  std::deque<std::pair<Index, Index>> EscapedFunctions;
  uint64_t Work = 0, Steps = 0, Saturated = 0;

  Index newClass();
  Index find(Index C) const;
  Index contents(Index C);
  void join(Index A, Index B, Index Cause) { Joins.push_back({A, B, Cause}); }
  void unite(const Join &J);
  void enter(Index Object, Index Cause);
  bool isFunction(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Kind == ObjectKind::Function; }
};

} // namespace freehold
