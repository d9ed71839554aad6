// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worklist.h - the solver of the product: a constraint graph with difference propagation.
//
// A *node* is a value or an *access* of an object: a write node holds what is stored at that piece of memory, a read node what
// may be loaded from it; an edge leads from a write to each read of bytes it overlaps. A node holds its points-to set as a sorted
// vector of locations (object, offsets), the part not yet propagated, and two flags: external, and "pointees escape".
//
// Everything that creates something (escape, a new write access, activation) is queued, never done in place: the graph may be as
// deep as it likes and no list grows under its own iteration.
#pragma once

#include "solver/Effects.h"
#include "solver/OffsetSet.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <map>
#include <set>

namespace freehold {

class Worklist {
public:
  Worklist(const Program &P, const Models &M, const SolverOptions &O);
  Solution run();

private:
  using Location = uint64_t; ///< object << 32 | id of the offsets

  struct Cause {
    ReasonCode Code = 0;
    SourceLoc Loc;
    std::string Text;
  };
  struct Edge {
    Index To;
    Index Disp;       ///< id of a displacement, 0: none
    bool Externality; ///< passes the external flag on
  };
  enum class UseKind : uint8_t { Load, Store, Initialise, NarrowLoad, Untracked, Zero, CopyFrom, CopyTo, Callee };
  struct Use {
    UseKind Kind;
    Index Other = None; ///< Load: to; Store: from; CopyFrom, CopyTo: copy; Callee: call site
    uint64_t Width = 0;
    Index Cause = None; ///< NarrowLoad
  };
  struct Node {
    std::vector<Location> Pointees; ///< sorted
    std::vector<Location> Delta;
    std::vector<Edge> Edges;
    std::vector<Use> Uses;
    Index EscapeCause = None;
    bool External = false, ExternalDone = false, Queued = false;
  };
  struct AccessNode {
    Access Where;
    Index Node;
  };
  struct Memory {
    std::map<Access, Index> Writes, Reads; ///< access to node
    std::vector<AccessNode> WriteList, ReadList;
    std::vector<std::pair<Index, Index>> Copies; ///< copies from here: copy, id of the region's offsets
    bool Collapsed = false, Escaped = false;
    Index EscapeCause = None;
  };
  /// One CopyMemory constraint.
  struct Copy {
    Index To, From; ///< values
    uint64_t Length;
    SourceLoc Loc;
    std::vector<Location> ToList, FromList;
    bool FromExternal = false, ToExternal = false;
    OffsetSet Relative; ///< where in the region the copied accesses begin
    struct Flow {
      Index Node;
      uint64_t Width; ///< 0: whole region
      Offsets Where;
    };
    std::vector<Flow> Flows;
    std::set<std::tuple<Index, uint64_t, Offsets>> Known; ///< the same, to find doubles
  };
  struct Site {
    CallSite Call;
    std::set<Index> Seen; ///< symbols
    bool AnyFunction = false, Unknown = false;
  };
  struct NewWrite {
    Index Object, Node;
    Access Where;
  };

  const Program &P;
  const Models &M;
  SolverOptions O;
  SolverIds Ids;
  Solution S;
  std::deque<Node> Nodes;
  std::vector<Memory> Objects;
  std::deque<Copy> CopyList;
  std::deque<Site> Sites;
  std::vector<Offsets> OffsetTable;
  std::map<Offsets, Index> OffsetIds;
  std::vector<Displacement> Displacements;
  std::map<std::array<uint64_t, 3>, Index> DisplacementIds;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Location> Displaced; ///< cache
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> EdgeSet;
  std::vector<Cause> Causes;
  std::deque<Index> Queue;
  std::deque<std::pair<Index, Index>> Escapes; ///< object, cause: contents still to be done
  std::deque<NewWrite> NewWrites;
  std::deque<Index> Activations;
  std::vector<Index> ActiveConstraints; ///< Load, Store, CopyMemory, Difference of the program: what rounds look at
  std::vector<bool> Decided;            ///< per constraint
  llvm::DenseMap<Index, Index> CopyOf;  ///< constraint to copy
  std::vector<bool> EscapedFunctions;   ///< per function
  llvm::StringMap<Index> NoteIds;
  uint64_t Work = 0; ///< against SolverOptions::WorkLimit

  // Sets and flags.
  Index newNode();
  Index offsetId(const Offsets &Where);
  Index displacementId(const Displacement &D);
  Index cause(ReasonCode Code, SourceLoc Loc, const std::string &Text);
  Index objectOf(Location L) const { return Index(L >> 32); }
  const Offsets &offsetsOf(Location L) const { return OffsetTable[Index(L)]; }
  bool isFunction(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Kind == ObjectKind::Function; }
  bool isConstant(Index Object) const { return Object < P.Objects.size() && P.Objects[Object].Constant; }
  Location location(Index Object, const Offsets &Where);
  Location displaced(Location L, Index Disp);
  void enqueue(Index N);
  void add(Index N, Location L);
  void setExternal(Index N);
  void escapePointees(Index N, Index Cause);
  void addEdge(Index From, Index To, Index Disp = 0, bool Externality = true);
  void addUse(Index N, Use U);

  // Memory.
  void escapeObject(Index Object, Index Cause);
  void escapeFunction(Index F, Index Cause);
  Index writeNode(Index Object, Access A);
  Index readNode(Index Object, Access A);
  void linkWrite(const NewWrite &W);
  void collapse(Index Object);

  // Copies.
  Index newCopy(Index To, Index From, uint64_t Length, SourceLoc Loc);
  void copyWrite(Index C, const Offsets &Region, const Access &Written, Index Node);
  void linkFlow(Copy &C, const Copy::Flow &F, Location To);
  void addFlow(Copy &C, Copy::Flow F);
  void copyFrom(Index C, Location L);
  void copyTo(Index C, Location L);
  void copyFromExternal(Copy &C);
  void copyToExternal(Copy &C);

  // Constraints and calls.
  void constrain(const Constraint &C, Index Id, llvm::StringRef By);
  void activate(Index F);
  void start();
  void addSite(CallSite C);
  void callSymbol(Index Site, Index Symbol);
  void callUnknown(Index Site, ReasonCode Code, const std::string &Text);
  void bind(Index Site, Index F);
  void applyUse(const Use &U, Location L);
  void applyExternal(const Use &U);

  // Fixpoint and rounds.
  void propagate();
  void process(Index N);
  bool decide();
  bool isEmpty(Index Value) const { return Nodes[Value].Pointees.empty() && !Nodes[Value].External; }
  bool disjoint(Index A, Index B) const;
  bool tooManyWrites(Index Object) const;
  void note(ReasonCode Code, const std::string &Text, SourceLoc Loc);
  void extract();
};

} // namespace freehold
