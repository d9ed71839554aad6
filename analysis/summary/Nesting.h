// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nesting.h - how deep brackets go in a text that is about to be parsed. LLVM's parsers of JSON, YAML and IR take a stack frame
// or more for each open bracket, so a file of brackets alone would end the program without a word.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <optional>

namespace freehold {

struct NestingSyntax {
  llvm::StringRef Open, Close;
  llvm::StringRef Quotes;  ///< between two of a kind nothing counts; a backslash takes the next byte along
  llvm::StringRef Comment; ///< from one of these to the end of the line nothing counts
};

constexpr NestingSyntax JSONNesting{"[{", "]}", "\"", ""};
constexpr NestingSyntax YAMLNesting{"[{", "]}", "\"", "#"};
constexpr NestingSyntax IRNesting{"[{(<", "]})>", "\"", ";"};

/// The line where more than Limit brackets are open; none if that never happens.
inline std::optional<unsigned> deepNesting(llvm::StringRef Text, const NestingSyntax &Syntax, unsigned Limit) {
  unsigned Line = 1, Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\n')
      ++Line;
    else if (Syntax.Comment.contains(C))
      I = std::min(Text.find('\n', I), Text.size()) - 1;
    else if (Syntax.Open.contains(C) && ++Depth > Limit)
      return Line;
    else if (Syntax.Close.contains(C))
      Depth -= Depth != 0;
    else if (Syntax.Quotes.contains(C))
      for (++I; I < Text.size() && Text[I] != C; ++I) {
        Line += Text[I] == '\n';
        I += Text[I] == '\\';
      }
  }
  return std::nullopt;
}

} // namespace freehold
