// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solver.h - inclusion-based, field-sensitive points-to (Andersen 1994; Pearce, Kelly, Hankin, TOPLAS 2007) over a Program.
//
// Two solvers give the same Solution: Engine (the product), a constraint graph with difference propagation, and Naive, a direct
// transcription of the rules without either, which re-solves every test. Neither collapses cycles. A third look, verify(), takes
// the engine's end state and asks whether every rule holds in it.
//
// Canonical form. A value is *external* if it may point to what the outside knows: to every escaped object, and to memory that no
// summary describes. Those objects are implied, never stored ("prefer implicit pointees", Krogstie et al., CGO 2026): a set holds
// objects that have not escaped, and functions. A set that gets the address of an escaped object becomes external, and *absorbs*
// it. An external set absorbs escaped functions too; another one keeps them, so that a table of functions stays a list of callees.
//
// Rules beside the textbook's:
//   escape(o)     outside code may read and write o: what its words point to escapes, and whoever points to o is external. If o
//                 is a function it may be called by anyone: parameters external, pointees of its result escape.
//   external p    load: result external; store: pointees of the value escape; call: pointees of the arguments escape, result
//                 external, the block it may make escapes; every escaped function is called by rule escape. What is passed
//                 this way meets in one value, Outside: it is external, and knows whether an address was absorbed (below).
//   absorbed      an Indexed constraint does not pass externality on (FH902), but an address that is known to be in the index:
//                 so the flag "has absorbed an address" is propagated beside externality, and Indexed passes that on as external.
//                 Memory of escaped objects may hold absorbed addresses.
//   function      is no memory: what is read through its address holds no address, and nothing is stored through it.
//   call          binds arguments and result by position, whatever the types; surplus arguments go to Varargs or escape, if the
//                 callee has none. A callee without definition: its model, else FH301 (arguments escape, result external).
//                 A callee set that is empty at the fixpoint is an unknown call (FH204), evaluated in rounds.
//                 A function with a body that a library calls (callback, thread entry) is bound likewise, but is not in Callees:
//                 arguments stand at other positions there.
//   memory        an object's memory is a set of accesses (offsets, width); a read sees every write it may share a byte with.
//                 CopyMemory mirrors each write of the region at the same place of the copy, 64 places at most, then one class.
//   empty         a load, store or copy of the program through a pointer that points to nothing at the fixpoint is unknown
//                 (FH204, counted): result external, stored value escapes. A free of nothing is nothing; so is what a model does.
//   active        only constraints of functions count that main, constructors, visible symbols, calls or escaped addresses reach.
//   round         Difference, empty callees and empty pointers are decided at a fixpoint, all at once, then solving goes on; once
//                 decided they stay decided. Two external values may point into one object.
//   bounds        a set of more than SetLimit objects *saturates*: it is external and its objects escape. More than AccessLimit
//                 accesses of one width in one object join into the smallest class that covers them; more than FieldCap accesses
//                 make the object one cell. These are decided where they occur: which sets are over a limit on the way depends on
//                 the order, so each decision is logged (Decisions.h), and Naive takes the log as axioms.
#pragma once

#include "solver/Decisions.h"
#include "solver/Models.h"
#include "solver/Program.h"
#include <memory>

namespace freehold {

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

/// The size of the task, as the engine saw it; Naive counts rounds only.
struct Counters {
  uint64_t Nodes = 0, Edges = 0, Rounds = 0, Steps = 0, Work = 0;
  uint64_t Collapsed = 0; ///< objects that became one cell
  uint64_t Widened = 0;   ///< accesses of one width and object that became a class
  uint64_t Saturated = 0; ///< sets over SetLimit
};

class Solution;

/// What a value may point to. All questions go through here, since part of the answer is implied.
class PointsTo {
public:
  PointsTo(const Solution &S, llvm::ArrayRef<Target> Known, bool External) : S(S), Known(Known), External(External) {}
  /// Objects that have not escaped, and functions; sorted. The rest of the answer is isExternal.
  llvm::ArrayRef<Target> known() const { return Known; }
  /// All escaped objects, and memory outside the program.
  bool isExternal() const { return External; }
  bool isEmpty() const { return Known.empty() && !External; }
  bool contains(Index Object) const { return where(Object) != nullptr; }
  /// Where in the object, the first of several places; null if it does not point there.
  const Offsets *where(Index Object) const;

private:
  const Solution &S;
  llvm::ArrayRef<Target> Known;
  bool External;
};

class Solution {
public:
  std::vector<AbstractObject> Objects;
  std::vector<ThreadRoot> Roots;
  std::vector<bool> Active;                        ///< per function
  std::vector<std::vector<Index>> Callees;         ///< per call: functions with a body, sorted; CallsEscaped: the known ones
  std::vector<std::vector<Index>> ExternalCallees; ///< per call: symbols without one, sorted; likewise
  std::vector<bool> CallsEscaped;                  ///< per call: any escaped function, or code outside
  /// Per call: functions that a pointer held until it became external and they escaped. They are not part of the solution: which
  /// they are depends on the order of work.
  std::vector<std::vector<Index>> FormerCallees;
  std::vector<Index> HeapObject; ///< per call: its object or None
  std::vector<Note> Notes;       ///< Text indexes NoteTexts
  std::vector<std::string> NoteTexts;
  DecisionLog Log;
  Counters Stats;
  bool Finished = true; ///< false: over WorkLimit; nothing else of the solution means anything

  size_t numValues() const { return Sets.size(); }
  PointsTo pointsTo(Index Value) const { return {*this, Sets[Value], External[Value]}; }
  bool isExternal(Index Value) const { return External[Value]; }
  /// Whether a word of Holder may point to Object.
  bool holds(Index Holder, Index Object) const;
  /// The objects that have not escaped, and functions, that words of Holder may point to; sorted. An escaped object holds
  /// escaped objects only, all of them.
  llvm::ArrayRef<Index> knownContents(Index Holder) const { return Contents[Holder]; }

  /// Objects that Value pointed to, as far as was known when they escaped; sorted. The set itself implies them. Which those are
  /// depends on the order of work: good for telling a reason, not for a verdict.
  llvm::ArrayRef<Index> pointedTo(Index Value) const;

  // For whoever makes a solution.
  void setPointedTo(std::vector<std::pair<Index, Index>> ValuesAndObjects);
  void addValue(std::vector<Target> Known, bool IsExternal) {
    Sets.push_back(std::move(Known));
    External.push_back(IsExternal);
  }
  void addObject(AbstractObject Object, std::vector<Index> Known, bool HoldsExternal) {
    Objects.push_back(std::move(Object));
    setContents(Objects.size() - 1, std::move(Known), HoldsExternal);
  }
  /// What HoldsExternal implies is left out; so Objects must be told first which of them have escaped.
  void setContents(Index Object, std::vector<Index> Known, bool HoldsExternal);
  void clearValue(Index Value) {
    Sets[Value].clear();
    External[Value] = false;
  }
  /// Nothing points to these, they hold nothing and have not escaped.
  void forgetObjects(const std::vector<bool> &Gone);
  /// Renumbers objects; NewId[O] is None for what goes, which nothing may point to.
  void renumberObjects(llvm::ArrayRef<Index> NewId);
  bool holdsExternal(Index Object) const { return ContentsExternal[Object]; }

private:
  std::vector<std::vector<Target>> Sets; ///< per value, sorted
  std::vector<bool> External;            ///< per value
  std::vector<std::vector<Index>> Contents;
  std::vector<bool> ContentsExternal;
  std::vector<Index> Before, BeforeBegin; ///< pointedTo: rows of a sparse matrix
};

struct SolverOptions {
  bool FieldSensitive = true;
  bool Unify = false; ///< equalities instead of subsets, without fields (Unification.h)
  /// Work (insertions and edges) after which the engine gives up; a count, not a time, so that every run decides alike.
  /// About two seconds. A fixpoint that is not reached proves nothing: Solution::Finished is false.
  uint64_t WorkLimit = 40000000;
  /// Objects in one set. Contexts multiply the objects of a site: redis, with 1,300 of them, needs 300 to keep its local ones apart,
  /// and from 1,000 on sets take more time than the rest (nginx three times).
  unsigned SetLimit = 300;
  unsigned AccessLimit = 128; ///< accesses of one width in one object
  unsigned FieldCap = 1024;   ///< accesses in one object
  /// For tests of the bounds alone, and unsound: what makes values external is switched off where it can be.
  bool Stress = false;
  enum class Order : uint8_t { FIFO, LIFO } Queue = Order::FIFO; ///< any gives the same solution but for what Log has
};

Solution solve(const Program &P, const Models &M, const SolverOptions &O = {});
/// With a log: its decisions are axioms, and what else would have to be decided is a difference (Solution::Finished is false).
Solution solveNaive(const Program &P, const Models &M, const SolverOptions &O = {}, const DecisionLog *Axioms = nullptr);

/// Empty if equal, else the first difference in words.
std::string compareSolutions(const Program &P, const Solution &A, const Solution &B);

/// Solves, verifies, solves again by Naive and compares; Error says what is wrong or how the solvers differ, empty if they agree
/// or the first one did not finish.
Solution solveChecked(const Program &P, const Models &M, const SolverOptions &O, std::string &Error);

} // namespace freehold
