// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Domain.h - what the rules about constraints and calls need of a way to solve them: Inclusion (subsets, a graph) or Unification
// (equalities, classes). Both are sound under the rules of Solver.h; the second is coarser and almost linear.
//
// A *node* is a value or a temporary of a library function's model.
#pragma once

#include "solver/Decisions.h"
#include "solver/Solver.h"

namespace freehold {

/// Why something escapes.
struct Cause {
  ReasonCode Code = 0;
  SourceLoc Loc;
  std::string Text;
};

/// What a domain tells of calls and functions.
class CallRules {
public:
  virtual void callFunction(Index Site, Index Object) = 0;
  virtual void callExternal(Index Site) = 0;
  virtual void escapedFunction(Index Object, Index Cause) = 0;

protected:
  ~CallRules() = default;
};

class Domain {
public:
  virtual ~Domain() = default;

  virtual Index newTemporary(Index Id) = 0; ///< Id: what the maker knows it by
  Index cause(ReasonCode Code, SourceLoc Loc, std::string Text) {
    Causes.push_back({Code, Loc, std::move(Text)});
    return Causes.size() - 1;
  }
  const Cause &cause(Index Id) const { return Causes[Id]; }

  virtual void point(Index Node, Index Object, const Offsets &Where) = 0;
  virtual void setExternal(Index Node) = 0;
  virtual void escapePointees(Index Node, Index Cause) = 0;
  virtual void escape(Index Object, Index Cause) = 0;
  virtual bool escaped(Index Object) const = 0;
  virtual Index escapeCause(Index Object) const = 0;
  virtual void flow(Index From, Index To) = 0;
  virtual void flow(Index From, Index To, const Displacement &D) = 0;
  virtual void index(Index From, Index To) = 0; ///< ConstraintKind::Indexed
  virtual void load(Index From, Index To, uint64_t Width) = 0;
  virtual void store(Index To, Index What, uint64_t Width, bool Initialiser) = 0;
  virtual void narrowLoad(Index From, uint64_t Width, Index Cause) = 0;
  virtual void untrackedStore(Index To, uint64_t Width, bool Zero) = 0;
  /// Gives an id for copyUnknown. Name and Constraint: for the log.
  virtual Index copy(Index To, Index From, uint64_t Width, SourceLoc Loc, NodeName Name, Index Constraint) = 0;
  virtual void copyUnknown(Index Copy, bool Source, bool Target) = 0;
  virtual void callThrough(Index Callee, Index Site) = 0;

  virtual bool isExternal(Index Node) const = 0;
  virtual bool isEmpty(Index Node) const = 0;
  virtual bool mayAlias(Index A, Index B) const = 0;

  /// One step of work. False: nothing is left to do.
  virtual bool step() = 0;
  /// Over SolverOptions::WorkLimit. Asked inside steps: they end early then, and nothing means anything any more.
  virtual bool isOver() const = 0;
  /// Decisions that were not made in rounds; Name tells what a temporary is called.
  virtual void log(DecisionLog &Log, llvm::function_ref<NodeName(Index)> NameOfTemporary) const = 0;
  /// Sets and contents, and what was counted.
  virtual void extract(Solution &S, Index NumValues) const = 0;

private:
  std::vector<Cause> Causes;
};

} // namespace freehold
