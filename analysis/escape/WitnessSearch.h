// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WitnessSearch.h - the state of one search, shared by Witness.cpp (finding) and WitnessText.cpp (telling).
#pragma once

#include "escape/Witness.h"
#include "llvm/ADT/DenseSet.h"

namespace freehold {

struct WitnessFinder::Search {
  const WitnessFinder &W;
  Grade Want;                ///< the roots that count
  std::vector<State> States; ///< in the order they were found: a queue that is never popped
  llvm::DenseSet<uint64_t> Seen;

  void push(Index Object, Index Node, bool Memory, uint32_t Prev, Edge How, Index Which, Index Callee = None);
  void origins(Index Object, uint32_t Prev, Edge How);
  void expandValue(uint32_t I);
  void expandArgument(uint32_t I, Use U);
  void applyEffect(uint32_t I, Use U, const Effect &E);
  void passToCallback(uint32_t I, Index Call, Index Function, unsigned Param);
  void expandMemory(uint32_t I);
  Ending ending(const State &At) const;
};

} // namespace freehold
