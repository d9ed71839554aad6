// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile.h - what the plugin does to one file: ids, summary, distinct callees; and their removal from the native half.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace freehold {

/// At the early point. Only modules whose bitcode goes to a full LTO link are touched. Debug: the user asked for it; else source
/// locations go, once the summary has them, unless the owner check or somebody else's pass needs them.
bool compileModule(llvm::Module &M, bool Check, bool Debug);

/// Before native code is made of the module beside its bitcode (-ffat-lto-objects).
bool restoreNativeHalf(llvm::Module &M, bool Debug);

} // namespace freehold
