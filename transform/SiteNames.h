// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SiteNames.h - renaming allocation sites to fh_site_*, and back.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

/// Every call with a site id now calls fh_site_NAME; llvm.compiler.used keeps NAME's declaration as it is. Operator new keeps its
/// name, as do calls that must reach the named function itself or one that this module defines.
bool renameSites(llvm::Module &M);

/// The inverse: no fh_site_* is left, and no reference that renameSites made. Done when a module's last optimisation before the
/// link is over: its symbol table is what nm, ar and other linkers read, and no pass runs between here and the link's early
/// point.
bool restoreSites(llvm::Module &M);

/// Drops ids, tags, marks and the metadata: from here on the module is as if Freehold had never seen it.
bool stripMarks(llvm::Module &M);

} // namespace freehold
