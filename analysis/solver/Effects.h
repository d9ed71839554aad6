// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effects.h - what a model does at one call, in the constraints the solvers know already.
//
// Both solvers use this translation; it is a pure function of the call and the model. It may ask for fresh values (a word loaded
// on the way, a displaced argument) and may give further calls: callbacks that the library makes, entries of new threads.
#pragma once

#include "solver/Solver.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace freehold {

/// Ids that the solver adds behind the Program's own.
struct SolverIds {
  explicit SolverIds(const Program &P)
      : ThreadResults(P.ValueNames.size()), KeyPointer(ThreadResults + 1), PrivatePointer(ThreadResults + 2),
        Outside(ThreadResults + 3), FirstFreeValue(ThreadResults + 4), FirstHeap(P.Objects.size()),
        KeyCell(FirstHeap + P.Calls.size()), PrivateMemory(KeyCell + 1), NumObjects(KeyCell + 2) {}
  Index ThreadResults;  ///< value: what thread entries return and pthread_exit is given
  Index KeyPointer;     ///< value: address of KeyCell
  Index PrivatePointer; ///< value: address of PrivateMemory
  Index Outside;        ///< value: what passes in and out of calls through external pointers, and of escaped functions
  Index FirstFreeValue;
  Index FirstHeap; ///< object: FirstHeap + C is the heap object of call C
  Index KeyCell, PrivateMemory, NumObjects;
};

/// A call of the program, or one that a library function makes on behalf of it.
struct CallSite {
  Index Root = None; ///< the Program's call
  /// Names the site: Root, then the library function's symbol and a number for each call that a library makes on the way.
  std::vector<Index> Path;
  Index Symbol = None; ///< direct
  Index Callee = None; ///< value
  std::vector<CallArg> Args;
  Index Result = None;
  bool NoBuiltin = false;
  bool Callback = false; ///< made by a library: its allocations are library-made
  bool Spawn = false;    ///< a new thread's entry: results are thread roots
  unsigned Depth = 0;    ///< callbacks of callbacks; beyond MaxDepth a call is unknown
  SourceLoc Loc;
};
constexpr unsigned MaxCallbackDepth = 3;

/// A call of the program as a site.
CallSite siteOf(const Program &P, Index Call);

/// Whether parameter N gets a word from the call: a tracked value or a constant. Otherwise (too few arguments, or one too narrow
/// for the parameter: C allows such calls to be written, FH903) it holds bits of unknown origin.
inline bool passesWord(const CallSite &C, size_t N) {
  return N < C.Args.size() && (C.Args[N].Value != None || C.Args[N].Constant || C.Callback);
}

struct LoweredEffects {
  std::vector<Constraint> Constraints; ///< NarrowLoad with a Code: contents escape with it
  std::vector<CallSite> Calls;
  std::vector<ThreadRoot> Roots;
  bool Allocates = false, LibraryMade = false;
};

LoweredEffects lowerEffects(const Program &P, const Model &M, llvm::StringRef Name, const CallSite &Site, const SolverIds &Ids,
                            llvm::function_ref<Index()> NewValue);

/// "kept by `putenv`"; By: the function, if any.
std::string causeText(ReasonCode Code, llvm::StringRef By, llvm::StringRef Where = "");

/// The Program's objects, one for the block of each call, and the solver's cells; none has escaped.
std::vector<AbstractObject> abstractObjects(const Program &P, const SolverIds &Ids);

/// Keeps the heap objects of calls that allocate and the solver's cells, renumbers everything in S. Sorts Roots and drops
/// doubles.
void finishSolution(const Program &P, Solution &S);

} // namespace freehold
