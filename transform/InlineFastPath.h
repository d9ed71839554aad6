// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InlineFastPath.h - pops of the local heap's free lists in place of calls.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

/// Expands fh_tls_malloc, fh_tls_new and fh_tls_calloc of constant size. Shared: heads are found behind fh_heads_base.
/// Returns how many calls were expanded.
unsigned inlineFastPaths(llvm::Module &M, bool Shared);

} // namespace freehold
