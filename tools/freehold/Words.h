// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words.h - the words of a command line: the near one in place of one that is not known, and quoting.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace freehold {

/// "; did you mean 'format'?", or nothing where no known word is near: so that about a third of the letters may differ, at most
/// three.
inline std::string didYouMean(llvm::StringRef Word, llvm::ArrayRef<llvm::StringRef> Known) {
  llvm::StringRef Nearest;
  unsigned Distance = unsigned(std::min<size_t>(3, (Word.trim('-').size() + 1) / 3)) + 1;
  for (llvm::StringRef K : Known)
    if (unsigned D = Word.edit_distance(K, /*AllowReplacements=*/true, Distance); D < Distance) {
      Distance = D;
      Nearest = K;
    }
  return Nearest.empty() ? "" : ("; did you mean '" + Nearest + "'?").str();
}

/// A blank and the word, quoted for the shell where it must be.
inline void printWord(llvm::StringRef Word, llvm::raw_ostream &OS) {
  OS << ' ';
  llvm::sys::printArg(OS, Word, /*Quote=*/false);
}

} // namespace freehold
