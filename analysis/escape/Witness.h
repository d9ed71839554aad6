// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Witness.h - the readable path from an allocation site to a thread root.
//
// A breadth-first search over pairs (object, where its address is): a value, or a word of another object's memory. It goes along
// the constraints in the direction data flows, and only where the solution says that the object's address gets. Once stored in an
// object that is reached itself, the search also follows that object's own address. The first root met ends a shortest path.
// Where the budget ends first, or the constraint that leaked the address has no counterpart here (effects of models), the chain
// of objects alone is told: a witness is never empty.
#pragma once

#include "escape/Flow.h"
#include "escape/Names.h"
#include "escape/Reach.h"

namespace freehold {

class WitnessFinder {
public:
  WitnessFinder(const Program &P, const Solution &S, const Reach &R, const Names &N, const Models *M)
      : P(P), S(S), R(R), N(N), F(P, S, M) {}

  /// Why the block made by Call is reached. Its object's grade must not be None.
  Reason find(Index Call);
  /// The same for a block that only what was not understood leads to, as far as the solution knows: sets do not hold what has
  /// escaped, so that a way to another thread shows only here.
  std::optional<Reason> findStrong(Index Call) { return search(Call, S.HeapObject[Call], Grade::Strong); }

private:
  enum class Edge : uint8_t { Start, Move, Stored, Read, MemoryCopied, Passed, Returned, ThroughCall, StoredByCall, Follow };
  enum class End : uint8_t { NoEnd, ThreadRoot, Global, Escape, EscapeCall, EscapeStore, Exported, Narrow };
  struct State {
    Index Object;
    Index Node; ///< value, or object if Memory
    bool Memory;
    uint32_t Prev; ///< state it came from
    Edge How;
    Index Which;  ///< constraint or call
    Index Callee; ///< Passed: function
  };
  struct Ending {
    End Kind = End::NoEnd;
    Index Which = None;
    ReasonCode Code = 0;
  };

  const Program &P;
  const Solution &S;
  const Reach &R;
  const Names &N;
  Flow F;
  uint64_t Budget = 4000000; ///< states for all witnesses of a report

  struct Search;
  std::optional<Reason> search(Index Call, Index Object, Grade Want);
  Reason byObjects(Index Call, Index Object);
  Step step(const SourceLoc &L, std::string What, const Step *Before) const;
  std::vector<Step> tell(const Search &Q, uint32_t Last, const Ending &E, Index Call) const;
  std::string describe(const State &At, const State &From, Index Here, SourceLoc &Loc) const;
  std::string describeEnd(const State &At, const Ending &E, Index Here, SourceLoc &Loc) const;
  std::string reasonText(const State &At, const Ending &E) const;
  std::string threadEntry(Index Call) const;
};

} // namespace freehold
