// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OwnerCheck.h - --freehold-check: every access to a local block asks whether this thread owns it.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

struct LinkState;

/// Every function, or those that carry CheckAttribute. Returns the number of checks.
unsigned instrumentOwnerCheck(llvm::Module &M, const LinkState &State);

} // namespace freehold
