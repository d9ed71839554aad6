// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names.h - objects, values and places in the words of the source, for witnesses.
#pragma once

#include "Report.h"
#include "solver/Solver.h"

namespace freehold {

class Names {
public:
  Names(const Program &P, const Solution &S, llvm::StringRef Base);

  /// Relative to the base where the file lies below it; else as the compiler saw it, tidied.
  std::string file(Index String) const;
  std::string place(const SourceLoc &L) const; ///< a.c:12, empty if unknown
  std::string function(Index F) const;
  std::string callee(Index Call) const; ///< the function called, "a function pointer" if there is no one name
  /// "global g", "variable v of foo", "the block allocated at a.c:12"; of a wrapper's with the calls that led there,
  /// since blocks of different calls are told apart.
  std::string object(Index Object) const;
  /// The same as a place to store in: "field at offset 16 of ...".
  std::string memory(Index Object, const Offsets *Where) const;
  /// The variable that holds the value, or a phrase for the object whose address it is. Here: the object the witness began with.
  std::string value(Index Value, Index Object, Index Here) const;
  bool hasName(Index Value) const { return Value < P.ValueNames.size() && P.ValueNames[Value] != None; }

private:
  const Program &P;
  const Solution &S;
  std::string Base;
  llvm::DenseMap<Index, Index> CopyFor; ///< function made for a context: the call it was made for
};

} // namespace freehold
