// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory.h - accesses of objects that have not escaped, and copies between them.
//
// An edge leads from each write node to each read node of bytes it overlaps. The number of nodes of one object is bounded where
// they are made (Solver.h, "bounds"), so the number of those edges is.
#pragma once

#include "solver/Graph.h"
#include <set>

namespace freehold {

class Memory {
public:
  Memory(const Program &P, const SolverOptions &O, Domain &D, Graph &G, Index NumObjects);

  /// The node of an access, which may be wider than what is asked for. The object must not have escaped.
  Index write(Index Object, Access A) { return node(Object, A, Objects[Object].Writes, true); }
  Index read(Index Object, Access A) { return node(Object, A, Objects[Object].Reads, false); }
  bool isConstant(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Constant; }

  /// A CopyMemory constraint; Name is what the log calls it by.
  Index newCopy(uint64_t Length, SourceLoc Loc, NodeName Name, Index Constraint);
  void copyFrom(Index Copy, Location L);
  void copyTo(Index Copy, Location L);
  /// Why: as in Rules::external.
  void copyFromExternal(Index Copy, bool Absorbed, Index Why);
  void copyToExternal(Index Copy, Index Why);

  /// What the words of an object point to escapes with it.
  void escaped(Index Object, Index Cause);
  /// Links a new write node to what reads it. False: nothing is left to do.
  bool step();

  struct AccessNode {
    Access Where;
    Index Node;
  };
  struct Side {
    std::map<Access, Index> Nodes;
    std::vector<AccessNode> List;         ///< the same, in the order in which they came
    std::map<uint64_t, unsigned> Count;   ///< per width
    std::map<uint64_t, AccessNode> Class; ///< widths with more than AccessLimit: what all accesses of the width are
  };
  struct Cells {
    Side Writes, Reads;
    std::vector<std::pair<Index, Offsets>> Copies; ///< copies from here: copy, where the region begins
    bool Collapsed = false;
  };
  const Cells &cells(Index Object) const { return Objects[Object]; }
  std::vector<Decision> Decided; ///< Widened, Collapsed, CopyClass
  uint64_t Widened = 0, Collapsed = 0;

private:
  struct Flow {
    Index Node, From; ///< a write node of object From
    uint64_t Width;   ///< 0: whole region
    Offsets Where;    ///< in the region
    bool operator<(const Flow &F) const { return std::tie(Node, Width, Where) < std::tie(F.Node, F.Width, F.Where); }
  };
  struct Copy {
    uint64_t Length;
    SourceLoc Loc;
    NodeName Name;
    Index Constraint;
    std::vector<Location> ToList, FromList;
    bool FromExternal = false, FromAbsorbed = false, ToExternal = false;
    Index FromWhy = None, ToWhy = None;
    std::map<Index, OffsetSet> Relative; ///< per object copied from: where in the region its fields begin
    std::vector<Flow> Flows;
    std::set<Flow> Known; ///< the same, to find doubles
  };
  struct NewWrite {
    Index Object, Node;
    Access Where;
  };

  const Program &P;
  const SolverOptions &O;
  Domain &D;
  Graph &G;
  std::vector<Cells> Objects;
  std::deque<Copy> CopyList;
  std::deque<NewWrite> NewWrites;

  Index node(Index Object, Access A, Side &S, bool IsWrite);
  Index makeNode(Index Object, Access A, Side &S, bool IsWrite);
  Index widen(Index Object, Access A, Side &S, bool IsWrite);
  void become(Index Old, Index New, bool IsWrite);
  void collapse(Index Object);
  void link(const NewWrite &W);
  void copyWrite(Index Copy, Index From, const Offsets &Region, const Access &Written, Index Node);
  void addFlow(Copy &C, Flow F);
  void linkFlow(Copy &C, const Flow &F, Location To);
  bool gone(Location L) const { return G.escaped(G.objectOf(L)); }
};

} // namespace freehold
