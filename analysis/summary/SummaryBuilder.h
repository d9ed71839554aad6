// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryBuilder.h - from LLVM IR to a Module of constraints.
//
// The IR is read as it is at the pipeline's early point: after SROA, before inlining. At -O0 nothing is promoted yet, so a
// private promoted copy of each function is read instead; the IR given is never changed by buildSummary.
#pragma once

#include "summary/Summary.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace freehold {

/// Call-site attribute that carries a site's id (16 hex digits), and function attribute that marks a definition.
constexpr char SiteAttribute[] = "fh-site";
constexpr char FunctionTagAttribute[] = "fh-fn";

/// The function a call allocates by, under its libc name; empty for any other call. Only calls whose prototype fits; those that
/// may not be optimised by what the language says of the name (-fno-builtin, ::operator new called directly) are sites like any
/// other.
std::string allocationFunction(const llvm::CallBase &Call);

/// Gives every allocation call its id and every definition its tag. Idempotent: calls that carry an id keep it.
/// Returns whether the module changed.
bool assignIds(llvm::Module &M);

/// Reads ids if assignIds ran, else sites have none (Sites stays empty) and the calls are still summarised.
Module buildSummary(const llvm::Module &M);

} // namespace freehold
