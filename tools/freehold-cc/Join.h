// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Join.h - a relocatable link (-r): the bitcode halves of the objects that were joined become the bitcode half of the result.
#pragma once

#include "LinkLine.h"
#include "Toolchain.h"

namespace freehold::cc {

/// After a relocatable link of the native halves wrote Line.Output. Returns why the result has a native half only; empty if it
/// has both.
std::string joinBitcode(const LinkLine &Line, const Toolchain &Tools, const std::string &Folder);

} // namespace freehold::cc
