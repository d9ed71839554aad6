// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryIO.h - a Module as bytes and back, and as text for people. The bytes are deterministic, versioned and under a checksum, and
// are checked on reading: every index is in range, so that whoever reads a damaged object gets an error and never an undefined
// access. A reader takes memory and time in proportion to the bytes that are there, whatever they say of themselves.
//
//   fh-summary 3\n   the format's version, as text: any other one is refused by its number
//   8 bytes          length of the contents
//   contents         SummaryLayout.h
//   8 bytes          XXH3 of all before it; both numbers are little-endian
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace freehold {

/// Every version begins like this, also for who only wants to know whether a summary is there (tools/freehold-cc/Objects.cpp).
constexpr llvm::StringLiteral SummaryMagic = "fh-summary ";
constexpr unsigned SummaryVersion = 3;

std::string writeSummary(const Module &M);
llvm::Expected<Module> readSummary(llvm::StringRef Bytes);

/// All of it, one line a record, with names in place of numbers where there are names. Nobody reads it back.
void dumpSummary(const Module &M, llvm::raw_ostream &OS);

/// Version, length and checksum around any contents: what writeSummary ends with, and what tests forge.
std::string sealSummary(llvm::StringRef Contents);
/// What lies in the seal; an error if that does not fit.
llvm::Expected<llvm::StringRef> openSummary(llvm::StringRef Bytes);

/// Empty if every index of M is in range; else what is not.
std::string checkSummary(const Module &M);

} // namespace freehold
