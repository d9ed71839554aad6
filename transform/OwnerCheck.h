// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OwnerCheck.h - --freehold-check: every access to a local block asks whether this thread owns it.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

class Models;

/// All: every function; else those that carry CheckAttribute. Library: effects of modelled functions; may be null. Returns the
/// number of checks.
unsigned instrumentOwnerCheck(llvm::Module &M, bool All, const Models *Library);

} // namespace freehold
