// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrite.h - local sites call the local heap.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace freehold {

/// The id a call carries, or 0.
uint64_t siteId(const llvm::CallBase &Call);

/// What the calls of the merged module say about ids.
struct Conservation {
  llvm::DenseMap<uint64_t, unsigned> Copies; ///< calls per id
  unsigned WithoutId = 0;                    ///< allocation calls of our own code that lost theirs
  unsigned Foreign = 0;                      ///< ids that no summary knows
};

Conservation countIds(const llvm::Module &M, const llvm::DenseMap<uint64_t, bool> &Known);

/// May blocks of a family come from the local heap? Not where the program or the link replaces one of its functions.
struct Families {
  bool Malloc = true, New = true;
};

/// Local: ids whose every site is local. Calls with such an id go to fh_tls_*. Returns the copies rewritten, per id.
llvm::DenseMap<uint64_t, unsigned> rewriteSites(llvm::Module &M, const llvm::DenseMap<uint64_t, bool> &Local, Families F);

} // namespace freehold
