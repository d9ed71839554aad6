// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Join.h - work on bitcode halves before and after a link: joined by -r, left out, made fit for unified LTO.
#pragma once

#include "LinkLine.h"
#include "Toolchain.h"

namespace freehold::cc {

/// After a relocatable link of the native halves wrote Line.Output. Returns why the result has a native half only; empty if it
/// has both.
std::string joinBitcode(const LinkLine &Line, const Toolchain &Tools, const std::string &Folder);

/// A copy of an object or archive that has its native halves only; empty if that cannot be made.
std::string nativeCopy(const LinkInput &I, const Toolchain &Tools, const std::string &Folder);

/// A copy of an object of bitcode that another compiler run made for another kind of LTO, fit for ours; empty if that cannot be
/// made.
std::string unifiedCopy(const LinkInput &I, const Toolchain &Tools, const std::string &Folder);

} // namespace freehold::cc
