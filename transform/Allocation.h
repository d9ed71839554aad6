// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation.h - the allocation functions the rewriter knows: their attributes, their family, and their thread-local twin.
//
// An allocation site is told from all other calls by its callee: while its module is optimised it calls fh_site_malloc where the
// programmer wrote malloc, declared with the very attributes LLVM knows malloc by. Metadata would get lost or, worse, merged; a
// distinct callee is never folded, hoisted or sunk into another call, and a dead pair with free still vanishes.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace freehold {

constexpr char SitePrefix[] = "fh_site_";
constexpr char SummaryMetadata[] = "freehold.summary"; ///< one operand a module: its summary (summary/SummaryIO.h)
constexpr char CheckMetadata[] = "freehold.check";     ///< one operand a module compiled with --freehold-check: its name
constexpr char CheckAttribute[] = "fh-check";          ///< on each definition of such a module
constexpr char OwnAttribute[] = "fh-own";              ///< on each definition that a summary describes, internal ones too

enum class Family { Malloc, New };

/// What the rewriter knows of one allocation function.
struct AllocationFunction {
  const char *Name;  ///< linkage name
  const char *Local; ///< its twin that allocates from the local heap; null: the call stays as it is
  Family Of;
};

/// Null for a name that is no allocation function.
const AllocationFunction *findAllocation(llvm::StringRef Name);

/// The family of a form of operator new, as LLVM pairs it with delete.
std::string newFamily(llvm::StringRef Name);

/// Does this name allocate, resize or free blocks of a family? Whoever defines one of them owns the family.
bool belongsToFamily(llvm::StringRef Name, Family F);

/// The declaration of NewName with the type and attributes of Model, which LLVM's library knowledge completes: alloc-family,
/// allockind, allocsize, noalias. Null if the name is taken by something of another type.
llvm::Function *declareLike(llvm::Function &Model, llvm::StringRef NewName);

} // namespace freehold
