// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph.h - nodes, their sets and flags, and how they spread (Solver.h has the rules).
//
// A *node* is a value, a temporary of a library function's model, or an *access* of an object: a write node holds what is stored
// at that piece of memory, a read node what may be loaded from it. A node holds its points-to set as a sorted vector of locations
// (object, offsets), the part not yet propagated, and flags: external, "has absorbed an address", "pointees escape". An *edge*
// passes set and flags on; a *use* is a rule that creates something for each location: Rules is told.
//
// Everything that creates something is queued, never done in place: the graph may be as deep as it likes and no list grows under
// its own iteration. Sets shrink only where flags come to imply what goes: an escaped object leaves every set it is in, found by
// the list of its holders, so that each (node, object) pair is inserted and removed at most once.
#pragma once

#include "solver/Domain.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <deque>
#include <map>

namespace freehold {

using Location = uint64_t; ///< object << 32 | id of the offsets

enum class UseKind : uint8_t { Load, Store, Initialise, NarrowLoad, Untracked, Zero, CopyFrom, CopyTo, Callee };

struct NodeUse {
  UseKind Kind;
  Index Other = None; ///< Load: to; Store: from; CopyFrom, CopyTo: copy; Callee: call site
  uint64_t Width = 0;
  Index Cause = None; ///< NarrowLoad
};

/// What the graph tells of: the rules that create nodes, edges and calls.
class Rules {
public:
  virtual void pointee(const NodeUse &U, Location L) = 0;
  /// Why: the cause for which an object escaped whose address the pointer has absorbed, or None.
  virtual void external(const NodeUse &U, Index Why) = 0;
  virtual void absorbed(const NodeUse &U, Index Why) = 0;
  virtual void escaped(Index Object, Index Cause) = 0; ///< its holders know already
  virtual Index saturated() = 0;                       ///< the cause for which the objects of a set over SetLimit escape

protected:
  ~Rules() = default;
};

class Graph {
public:
  Graph(const Program &P, const SolverOptions &O, Index NumValues, Index NumObjects, Rules &Told);

  struct Edge {
    Index To;
    Index Disp;       ///< id of a displacement, 0: none
    bool Externality; ///< passes the external flag on; else only that an address was absorbed
  };
  struct Node {
    std::vector<Location> Pointees; ///< sorted
    std::vector<Location> Delta;
    std::vector<Edge> Edges;
    std::vector<NodeUse> Uses;
    Index EscapeCause = None;
    Index Why = None;   ///< external: of Rules::external
    Index Owner = None; ///< access: its object; temporary: an id of its maker
    uint32_t Objects = 0;
    NodeName::Kind Kind = NodeName::Value;
    bool External = false, ExternalDone = false, Absorbed = false, AbsorbedDone = false, Queued = false;
    bool isEmpty() const { return Pointees.empty() && !External; }
  };

  Index newNode(NodeName::Kind Kind, Index Owner);
  const Node &node(Index N) const { return Nodes[N]; }
  size_t size() const { return Nodes.size(); }

  // Locations.
  Index objectOf(Location L) const { return Index(L >> 32); }
  const Offsets &offsetsOf(Location L) const { return OffsetTable[Index(L)]; }
  Location location(Index Object, const Offsets &Where);
  Index displacementId(const Displacement &D);
  bool isFunction(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Kind == ObjectKind::Function; }

  // What rules do to nodes.
  void add(Index N, Location L);
  void setExternal(Index N, Index Why = None);
  void absorb(Index N, Index Why); ///< external, and an address of an escaped object came
  void escapePointees(Index N, Index Cause);
  void addEdge(Index From, Index To, Index Disp = 0, bool Externality = true);
  void addUse(Index N, NodeUse U);
  void escape(Index Object, Index Cause);
  bool escaped(Index Object) const { return EscapeCauses[Object] != None; }
  Index escapeCause(Index Object) const { return EscapeCauses[Object]; }

  /// One step: an escape, or a node's news. False: nothing is left to do.
  bool step();
  /// Over SolverOptions::WorkLimit. Asked inside steps: they end early then, and the graph means nothing any more.
  bool isOver() const { return Work > O.WorkLimit; }
  void spend(uint64_t Amount) { Work += Amount; }
  uint64_t work() const { return Work; }

  std::vector<std::pair<Index, std::vector<Index>>> Saturated; ///< nodes over SetLimit with the objects that were too many
  std::vector<std::pair<Index, Index>> Left;                   ///< node, object: was in the set until it escaped
  uint64_t Edges = 0, Steps = 0;

private:
  const Program &P;
  const SolverOptions &O;
  Rules &Told;
  std::deque<Node> Nodes;
  std::vector<Offsets> OffsetTable;
  std::map<Offsets, Index> OffsetIds;
  std::vector<Displacement> Displacements;
  std::map<std::array<uint64_t, 3>, Index> DisplacementIds;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Index> Displaced; ///< cache: offsets, displacement to offsets
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> EdgeSet;
  std::deque<Index> Queue;
  std::deque<std::pair<Index, Index>> Escapes; ///< object, cause: to be told
  std::vector<Index> EscapeCauses;             ///< per object
  std::vector<std::vector<Index>> Holders;     ///< per object: nodes whose set it is or was in
  uint64_t Work = 0;

  Index offsetId(const Offsets &Where);
  Location displaced(Location L, Index Disp);
  void enqueue(Index N);
  void leave(Index N, Index Object);
  void saturate(Index N);
  void tellEscape(Index Object, Index Cause);
  void process(Index N);
};

} // namespace freehold
