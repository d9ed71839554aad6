// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link.h - the plugin at the link: from the merged module to verdicts, report and rewritten calls.
#pragma once

#include "Config.h"
#include "solver/Models.h"
#include <optional>

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

/// What the early step leaves for the late one.
struct LinkState {
  Config C;
  Mark M;
  std::optional<Models> Library;
  bool Instrument = false;                ///< some module asked for the owner check
  std::map<uint64_t, std::string> Places; ///< site id -> file:line
};

/// Full LTO's early point. Whatever happens the report is written and the mark too.
void linkEarly(llvm::Module &M, LinkState &State);

/// Full LTO's last point: owner check, then the inlined fast path.
void linkLast(llvm::Module &M, LinkState &State);

} // namespace freehold
