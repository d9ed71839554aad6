// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorCode.h - finds in x86-64 machine code how it reaches thread-local variables.
//
// Access sequences have fixed shapes, which psABI and linkers rely on to rewrite them, so they can be found without knowing where
// functions begin:
//
//   through the GOT   an operand relative to %rip that is a slot the loader fills for a variable: initial-exec, TLSDESC, and the
//                     arguments of __tls_get_addr
//   local-exec        %fs:displacement, or %fs:0 (the thread pointer) in a register and a displacement from there, or a constant
//                     in a register and %fs:(register)
//   local-dynamic     displacements from what __tls_get_addr returned
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace freehold {

/// A variable: an offset in the binary's own TLS block, or a number of the caller's for an imported one.
struct TlsTarget {
  bool Imported = false;
  uint64_t Offset = 0;
};

/// What a word of the GOT is filled with at load time.
struct TlsSlot {
  enum Kind { InitialExec, GlobalDynamic, Module, Descriptor, OwnDescriptor } What = InitialExec;
  /// Module: the binary's block, and the offset that stands in the next word. OwnDescriptor: an offset in it, from which the code
  /// may go on to others.
  TlsTarget Target;
};

struct TlsCode {
  uint64_t BlockSize = 0;  ///< of the binary's TLS block
  uint64_t BlockAlign = 1; ///< its end is the thread pointer, in executables
  bool Executable = false;
  llvm::DenseMap<uint64_t, TlsSlot> Slots;
  llvm::DenseMap<uint64_t, unsigned> Functions;     ///< addresses whose calls are counted, to their number
  llvm::DenseMap<uint64_t, unsigned> FunctionSlots; ///< words of the GOT that hold such addresses
  std::function<void(TlsTarget, llvm::StringRef Model)> Found;
  std::function<void(unsigned Function)> Called;
};

/// Once, before the PLT of a file is asked for or code is looked through.
void prepareDecoder();

/// Looks through one executable section or segment.
void scanCode(const TlsCode &Code, uint64_t Address, llvm::ArrayRef<uint8_t> Bytes);

} // namespace freehold
