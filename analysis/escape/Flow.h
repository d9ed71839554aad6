// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flow.h - the constraints of active functions, indexed forward: where can what a value holds go next? Built once for all
// witnesses.
#pragma once

#include "solver/Solver.h"
#include "llvm/ADT/SmallVector.h"

namespace freehold {

/// One use of a value, or of an object's memory.
struct Use {
  Index Which; ///< constraint or call
  Index Arg;   ///< call: argument number
};

struct Flow {
  /// M may be null: then library functions move nothing.
  Flow(const Program &P, const Solution &S, const Models *M);

  /// Rows of a sparse matrix: [Begin[i], Begin[i+1]) of Items.
  struct Rows {
    std::vector<uint32_t> Begin;
    std::vector<Use> Items;
    llvm::ArrayRef<Use> operator[](Index I) const { return llvm::ArrayRef<Use>(Items).slice(Begin[I], Begin[I + 1] - Begin[I]); }
  };
  Rows BySource;     ///< per value: constraints with it as Src that move or give away what it holds
  Rows Arguments;    ///< per value: calls it is an argument of
  Rows Reads;        ///< per object: constraints that read its memory (Load, NarrowLoad, CopyMemory)
  Rows Origins;      ///< per object of the program: constraints that take its address
  Rows LibraryReads; ///< per object: calls whose model takes words out of its memory
  Rows Callers;      ///< per function: calls that reach it
  Rows Roots;        ///< per value: thread roots (indices of Solution::Roots)
  std::vector<llvm::SmallVector<const Model *, 1>> Modelled; ///< per call: models of its external callees
  std::vector<Index> ResultOf;                               ///< per value: the function whose result it is, or None

private:
  void findModels(const Program &P, const Solution &S, const Models *M, Index Call);
};

/// The objects V points to by name: those of its set, and those that were in it until they escaped.
llvm::SmallVector<Index, 8> pointees(const Solution &S, Index V);
/// Where in O value V may point, or null if it does not point to O.
const Offsets *pointsTo(const Solution &S, Index V, Index O);

} // namespace freehold
