// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode.h - the symbols of a bitcode file, from the table that the compiler leaves in it for linkers.
//
// LLVM writes a SYMTAB block beside the module (llvm/Object/IRSymtab.h): a fixed little-endian structure of offsets into itself
// and into the STRTAB block. Reading that takes microseconds; loading LLVM to be told the same would take longer than the rest of
// the wrapper.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace freehold::cc {

struct BitcodeSymbol {
  std::string Name;
  bool Undefined, Weak, MayOmit, Global, Common;
  unsigned Visibility; // as in ELF's st_other: 0 default, 1 internal (never), 2 hidden, 3 protected
};

struct BitcodeFile {
  bool Valid = false;        // blocks and symbol table were understood
  unsigned Modules = 0;      // two where LTO splits a unit
  bool Concatenated = false; // a second file begins where the first ends
  std::vector<BitcodeSymbol> Symbols;
};

bool isBitcode(std::string_view Data);
BitcodeFile readBitcode(std::string_view Data);

} // namespace freehold::cc
