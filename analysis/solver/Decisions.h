// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions.h - what the engine decided on its way, so that another solver can be told and a verifier can ask.
//
// All rules but these are monotone: their least solution does not depend on the order of work. A decision is made at one moment,
// about sets that still grow; made at another moment it might not have been made. Each one only ever adds to a solution, so a
// solution is sound whatever was decided; what the log is for is to compare two solvers to the last bit.
#pragma once

#include "solver/OffsetSet.h"
#include <string>
#include <tuple>

namespace freehold {

/// A node of the graph by what it stands for.
struct NodeName {
  enum Kind : uint8_t { Value, Temporary, Write, Read } K = Value;
  Index Id = None;         ///< Value: its id; Write, Read: the object
  Access Where;            ///< Write, Read
  std::vector<Index> Path; ///< Temporary: the call site's path, the library function's symbol, a number
  bool operator<(const NodeName &N) const { return std::tie(K, Id, Where, Path) < std::tie(N.K, N.Id, N.Where, N.Path); }
};

struct Decision {
  enum Kind : uint8_t {
    Saturated,  ///< Node had more than SolverOptions::SetLimit Objects
    Widened,    ///< accesses of one width (Node: object and width, write or read) are Class
    Collapsed,  ///< Node.Id, an object, is one cell
    CopyClass,  ///< the copy named Node.Path, constraint Constraint, copies the fields of object Node.Id as Class
    Difference, ///< Constraint: two addresses of different objects
    EmptySource,
    EmptyTarget, ///< Constraint: a pointer that points to nothing
    EmptyCall,   ///< the call site Node.Path
  } K;
  NodeName Node;
  Index Constraint = None;
  Offsets Class;
  std::vector<Index> Objects;
  /// Decided in rounds, on a fixpoint: Naive comes to it by itself as long as nothing else was decided.
  bool inRounds() const { return K >= Difference; }
};

using DecisionLog = std::vector<Decision>;

} // namespace freehold
