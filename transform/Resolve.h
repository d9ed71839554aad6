// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolve.h - what the merged module of a link tells about the linker's decisions.
#pragma once

#include "Config.h"
#include "solver/Program.h"

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

/// Foreign: the merged module holds code or variables that no readable summary describes.
Resolution resolveFromLink(const llvm::Module &M, llvm::ArrayRef<Module> Summaries, bool Foreign, const Config &C);

/// Names whose calls no model answers: wrapped, or defined by a plain part of the link.
std::vector<std::string> redefinedNames(const llvm::Module &M, const Config &C);

/// Code without our mark: bitcode of another compiler run, or made after the summary.
bool hasForeignCode(const llvm::Module &M, size_t SummaryCount);

} // namespace freehold
