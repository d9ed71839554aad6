// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solver.h - inclusion-based, field-sensitive points-to (Andersen 1994; Pearce, Kelly, Hankin, TOPLAS 2007) over a Program.
//
// Two solvers give the same Solution: Worklist (the product), a constraint graph with difference propagation, and Naive, a direct
// transcription of the rules without either, which re-solves every test. Neither collapses cycles.
//
// Rules beside the textbook's:
//   escape(o)     outside code may read and write o: pointees of its words escape, its words become external. If o is a
//                 function it may be called by anyone: parameters external, pointees of its result escape.
//   external p    load: result external; store: pointees of the value escape; call: pointees of the arguments escape, result
//                 external, and every escaped function is called by rule escape.
//   call          binds arguments and result by position, whatever the types; surplus arguments go to Varargs or escape, if the
//                 callee has none. A callee without definition: its model, else FH301 (arguments escape, result external).
//                 A callee set that is empty at the fixpoint is an unknown call (FH204), evaluated in rounds.
//                 A function with a body that a library calls (callback, thread entry) is bound likewise, but is not in Callees:
//                 arguments stand at other positions there.
//   memory        an object's memory is a set of accesses (offsets, width); a read sees every write it may share a byte with.
//                 CopyMemory mirrors each write of the region at the same place of the copy, 64 places at most, then one class.
//                 An object with more than FieldCap writes, none within another, becomes one cell (decided in rounds).
//   empty         a load, store or copy of the program through a pointer that points to nothing at the fixpoint is unknown
//                 (FH204, counted): result external, stored value escapes. A free of nothing is nothing; so is what a model does.
//   active        only constraints of functions count that main, constructors, visible symbols, calls or escaped addresses reach.
//   round         Difference, empty callees, empty pointers and the field cap are decided at a fixpoint, all at once, then
//                 solving goes on; once decided they stay decided, so the result is sound and both solvers agree.
#pragma once

#include "solver/Models.h"
#include "solver/Program.h"
#include <memory>

namespace freehold {

/// A set of byte offsets: Base + Stride*n (n any integer), cut to [Low, High) if High > Low. Stride 0: exactly Base.
struct Offsets {
  int64_t Base = 0;
  uint64_t Stride = 0;
  int64_t Low = 0, High = 0;
  bool operator==(const Offsets &O) const;
  bool operator<(const Offsets &O) const;
};

struct Target {
  Index Object; ///< in Solution::Objects
  Offsets Where;
};

/// The Program's objects first, with their own ids, then heap objects, then the solver's own cells.
struct AbstractObject {
  enum Kind : uint8_t { Variable, Function, Stack, Heap, Private } K;
  Index Source = None;      ///< Heap: the Call; else the Program's object
  bool LibraryMade = false; ///< Heap: made inside a library (FH208)
  bool Escaped = false;
  ReasonCode EscapeCode = 0; ///< first cause
  SourceLoc EscapeLoc;
  std::string EscapeText;
};

/// A value whose pointees another thread can come to.
struct ThreadRoot {
  Index Value;
  ReasonCode Code; ///< FH102 argument, FH103 result, ...
  SourceLoc Loc;
  std::string Text; ///< "passed to a new thread by pthread_create"
  Index Call = None;
};

/// The size of the task, as the worklist solver saw it; Naive counts rounds only. Collapsed: objects that became one cell.
struct Counters {
  uint64_t Nodes = 0, Edges = 0, Rounds = 0, Steps = 0, Collapsed = 0;
};

class Solution {
public:
  std::vector<AbstractObject> Objects;
  std::vector<std::vector<Target>> Pointees; ///< per value, sorted
  std::vector<bool> External;                ///< per value
  std::vector<std::vector<Index>> Contents;  ///< per object: objects its words may point to, sorted
  std::vector<ThreadRoot> Roots;
  std::vector<bool> Active;                        ///< per function
  std::vector<std::vector<Index>> Callees;         ///< per call: functions with a body, sorted
  std::vector<std::vector<Index>> ExternalCallees; ///< per call: symbols without one, sorted
  std::vector<Index> HeapObject;                   ///< per call: its object or None
  std::vector<Note> Notes;                         ///< Text indexes NoteTexts
  std::vector<std::string> NoteTexts;
  Counters Stats;
  bool Finished = true; ///< false: over WorkLimit; nothing else of the solution means anything
};

struct SolverOptions {
  bool FieldSensitive = true;
  /// Work (insertions and edges) after which the worklist solver gives up; a count, not a time, so that every run decides alike.
  /// About two seconds. A fixpoint that is not reached proves nothing: Solution::Finished is false.
  uint64_t WorkLimit = 40000000;
  unsigned FieldCap = 256; ///< accesses per object before it collapses to one cell
};

Solution solve(const Program &P, const Models &M, const SolverOptions &O = {});
Solution solveNaive(const Program &P, const Models &M, const SolverOptions &O = {});

/// Empty if equal, else the first difference in words.
std::string compareSolutions(const Program &P, const Solution &A, const Solution &B);

/// Solves twice and compares; Error says how the solvers differ, empty if they agree or the first one did not finish.
Solution solveChecked(const Program &P, const Models &M, const SolverOptions &O, std::string &Error);

} // namespace freehold
