// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls.h - call sites, what they may call, and which functions are active.
//
// A site is a call of the program, or one that a library function makes on its behalf. Binding only ever adds. A function that a
// site's pointer held until the pointer became external, and the function escaped, was bound before and might not have been in
// another order; all that followed from it follows from the unknown call too, and results leave it out.
#pragma once

#include "solver/Domain.h"
#include "solver/Effects.h"
#include <deque>

namespace freehold {

/// Puts a constraint in force; Id: in the Program, By: the library function whose model made it, Name: for temporaries and copies.
class Constrainer {
public:
  virtual void constrain(const Constraint &C, Index Id, llvm::StringRef By, const NodeName &Name) = 0;

protected:
  ~Constrainer() = default;
};

class Calls final : public CallRules {
public:
  Calls(const Program &P, const Models &M, const SolverOptions &O, const SolverIds &Ids, Constrainer &C, Solution &S);
  void attach(Domain &Solved) { D = &Solved; }

  /// What is active or visible from the start.
  void start();
  void addSite(CallSite C, Index Parent = None);
  void callSymbol(Index Site, Index Symbol);
  void callFunction(Index Site, Index Object) override;
  /// Through an external pointer.
  void callExternal(Index Site) override;
  void escapedFunction(Index Object, Index Cause) override;
  /// Activates one function that was reached. False: nothing is left to do.
  bool step();

  /// Sites whose callee set is empty at the fixpoint; of Active functions, as activeFunctions gives them.
  std::vector<Index> emptySites(const std::vector<bool> &Active) const;
  void callNothing(Index Site);
  const std::vector<Index> &sitePath(Index Site) const { return Sites[Site].Call.Path; }
  /// Load, Store, CopyMemory and Difference constraints in force, with their functions: what rounds look at.
  const std::vector<std::pair<Index, Index>> &activeConstraints() const { return ActiveConstraints; }
  NodeName temporary(Index Id) const { return Temporaries[Id]; }
  /// Fills what the solution says of calls.
  void extract();

  struct Site {
    CallSite Call;
    Index Parent = None; ///< the site whose library function makes this call
    Index ParentSymbol = None;
    std::vector<Index> Symbols; ///< sorted
    bool AnyFunction = false, Unknown = false;
  };
  const std::deque<Site> &sites() const { return Sites; }
  /// Whether what the site's binding to a symbol brought is part of the solution.
  bool counts(Index Site, Index Symbol) const;
  /// Whether the site is made by what counts.
  bool counts(Index Site) const { return Sites[Site].Parent == None || counts(Sites[Site].Parent, Sites[Site].ParentSymbol); }
  /// The functions that are active in the solution: not the copies of escaped functions that only such bindings entered.
  std::vector<bool> activeFunctions() const;

private:
  const Program &P;
  const Models &M;
  const SolverOptions &O;
  const SolverIds &Ids;
  Domain *D = nullptr;
  Constrainer &C;
  Solution &S;
  std::deque<Site> Sites;
  std::deque<Index> Activations;
  std::vector<std::pair<Index, Index>> ActiveConstraints; ///< constraint, function
  std::vector<bool> EscapedFunctions;
  std::vector<NodeName> Temporaries;
  llvm::StringMap<Index> NoteIds;
  struct Made { ///< by a site's library function
    Index Site, Symbol;
    bool Allocates, LibraryMade;
    std::vector<ThreadRoot> Roots;
  };
  std::vector<Made> Library;
  std::vector<std::tuple<Index, Index, Index>> Bound; ///< site, symbol, function

  void callUnknown(Index Site, ReasonCode Code, const std::string &Text);
  void applyModel(Index Site, Index Symbol, const Model &Known, llvm::StringRef Name);
  void bind(Index Site, Index Symbol, Index F);
  void activate(Index F);
  void escapeFunction(Index F, Index Cause);

public:
  void note(ReasonCode Code, const std::string &Text, SourceLoc Loc);
};

/// Memory that library code shares with whoever calls it: what lies under a key, what a thread ends with, what a function keeps.
/// Code that is not known may use all of it.
void escapeLibraryMemory(Domain &D, const SolverIds &Ids, Index Cause);

} // namespace freehold
