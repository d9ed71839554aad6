// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode.cpp - walking a bitcode file's top-level blocks down to its symbol table (see Bitcode.h).
//
// The container: LLVM's "Bitcode File Format", sections on magic numbers, blocks and abbreviations. At the top level each block
// is one 32-bit word (abbreviation id of 2 bits, block id, width of the inner abbreviation ids), its length in words, its words.
#include "Bitcode.h"

#include <cstring>

namespace freehold::cc {

namespace {
enum {
  MagicWord = 0xdec04342,
  ModuleBlock = 8,
  StrtabBlock = 23,
  SymtabBlock = 25,
  EnterBlock = 1,
  DefineAbbrev = 2,
  BlobEncoding = 5
};

class Bits {
  std::string_view Data;
  size_t At = 0; // in bits

public:
  bool Good = true;
  explicit Bits(std::string_view Data) : Data(Data) {}
  uint32_t fixed(unsigned Width) {
    uint32_t Result = 0;
    for (unsigned I = 0; I < Width; ++I, ++At) {
      if (At / 8 >= Data.size())
        return Good = false, 0;
      Result |= uint32_t((static_cast<unsigned char>(Data[At / 8]) >> (At % 8)) & 1) << I;
    }
    return Result;
  }
  uint32_t variable(unsigned Width) {
    uint32_t Result = 0, Chunk;
    for (unsigned Shift = 0; Shift < 32; Shift += Width - 1) {
      Chunk = fixed(Width);
      Result |= (Chunk & ((1u << (Width - 1)) - 1)) << Shift;
      if (!(Chunk >> (Width - 1)))
        return Result;
    }
    return Good = false, 0;
  }
  void align() { At = (At + 31) / 32 * 32; }
  std::string_view bytes(size_t N) {
    if (At / 8 + N > Data.size())
      return Good = false, std::string_view();
    return Data.substr(At / 8, N);
  }
};

/// A block that defines one abbreviation [literal, blob] and holds one record of it.
std::string_view blobOfBlock(std::string_view Body, unsigned Width) {
  Bits B(Body);
  if (B.fixed(Width) != DefineAbbrev || B.variable(5) != 2 || B.fixed(1) != 1)
    return {};
  B.variable(8); // the record's code
  if (B.fixed(1) != 0 || B.fixed(3) != BlobEncoding || B.fixed(Width) != 4)
    return {};
  size_t N = B.variable(6);
  B.align();
  std::string_view Result = B.bytes(N);
  return B.Good ? Result : std::string_view();
}

uint32_t word(std::string_view Data, size_t At) {
  uint32_t W = 0;
  if (At + 4 <= Data.size())
    memcpy(&W, Data.data() + At, 4);
  return W;
}

/// llvm/Object/IRSymtab.h, storage::Header: version, producer (offset, size), then ranges (offset, size) of modules, comdats,
/// symbols.
bool readSymbols(std::string_view Table, std::string_view Strings, std::vector<BitcodeSymbol> &Symbols) {
  enum { SymbolsRange = 4 + 8 + 8 + 8, SymbolSize = 24 };
  enum {
    Visibility = 3,
    Undefined = 1 << 3,
    Weak = 1 << 4,
    Common = 1 << 5,
    MayOmit = 1 << 9,
    Global = 1 << 10,
    FormatSpecific = 1 << 11
  };
  size_t Begin = word(Table, SymbolsRange), Count = word(Table, SymbolsRange + 4);
  if (Table.size() < SymbolsRange + 8 || Begin > Table.size() || Count > (Table.size() - Begin) / SymbolSize)
    return false;
  for (size_t I = 0; I < Count; ++I) {
    size_t At = Begin + I * SymbolSize;
    size_t Name = word(Table, At), Size = word(Table, At + 4);
    uint32_t Flags = word(Table, At + 20);
    if (Name > Strings.size() || Size > Strings.size() - Name)
      return false;
    if (Flags & FormatSpecific)
      continue;
    static const unsigned ElfVisibility[] = {0, 2, 3, 0};
    Symbols.push_back({std::string(Strings.substr(Name, Size)), bool(Flags & Undefined), bool(Flags & Weak),
                       bool(Flags & MayOmit), bool(Flags & Global), bool(Flags & Common), ElfVisibility[Flags & Visibility]});
  }
  return true;
}
} // namespace

bool isBitcode(std::string_view Data) { return Data.size() >= 8 && word(Data, 0) == MagicWord; }

BitcodeFile readBitcode(std::string_view Data) {
  BitcodeFile Result;
  if (!isBitcode(Data))
    return Result;
  std::string_view Table, Strings;
  size_t At = 4;
  while (At + 8 <= Data.size()) {
    if (word(Data, At) == MagicWord) {
      Result.Concatenated = true;
      return Result;
    }
    if (word(Data, At) == 0) // padding between concatenated sections
    {
      At += 4;
      continue;
    }
    Bits Head(Data.substr(At, 4));
    unsigned Enter = Head.fixed(2), Id = Head.variable(8), Width = Head.variable(4);
    size_t Length = size_t(word(Data, At + 4)) * 4;
    if (Enter != EnterBlock || !Head.Good || Length > Data.size() - At - 8)
      return Result;
    std::string_view Body = Data.substr(At + 8, Length);
    if (Id == ModuleBlock)
      ++Result.Modules;
    else if (Id == StrtabBlock)
      Strings = blobOfBlock(Body, Width);
    else if (Id == SymtabBlock)
      Table = blobOfBlock(Body, Width);
    At += 8 + Length;
  }
  Result.Valid = Result.Modules > 0 && !Table.empty() && readSymbols(Table, Strings, Result.Symbols);
  return Result;
}

} // namespace freehold::cc
