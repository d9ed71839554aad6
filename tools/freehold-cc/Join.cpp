// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Join.cpp - joining bitcode halves (see Join.h).
//
// Linkers leave the halves behind one another (binutils) or drop them (lld). llvm-link makes one module of them, by the rules by
// which the linker joined the native code, and keeps every summary; a module summary index besides is what marks a bitcode file
// as fit for unified LTO. Whether both halves came to the same symbols is compared afterwards, as for every object that is
// linked.
#include "Join.h"
#include "Bitcode.h"

namespace freehold::cc {

static std::string whyNotJoined(const LinkLine &Line) {
  if (Line.Scripted)
    return "a linker script shaped it";
  if (!Line.Wrapped.empty())
    return "its link redefines '" + Line.Wrapped.front() + "'";
  for (const LinkInput &I : Line.Inputs) {
    if (!I.Natively.empty())
      return fileName(I.Path) + ": " + I.Natively;
    if (I.Facts.Archive)
      return fileName(I.Path) + " is an archive";
    if (I.Facts.BitcodeOnly)
      return fileName(I.Path) + " is bitcode without native code";
    if (!I.Facts.Bitcode)
      return fileName(I.Path) + " has no bitcode";
  }
  return {};
}

/// The linker's version of the halves, one behind the other, is taken out first.
static bool replaceHalf(const std::string &Objcopy, const std::string &Object, const std::string &Bitcode) {
  return run(Objcopy, {"--remove-section=.llvm.lto", Object}).ok() &&
         (Bitcode.empty() ||
          run(Objcopy, {"--add-section=.llvm.lto=" + Bitcode, "--set-section-flags=.llvm.lto=exclude,readonly",
                        "--set-section-type=.llvm.lto=0x6fff4c0c", Object}) // SHT_LLVM_LTO: lld goes by the type
              .ok());
}

std::string joinBitcode(const LinkLine &Line, const Toolchain &Tools, const std::string &Folder) {
  std::string Why = whyNotJoined(Line), Joined = Folder + "/joined.bc", Indexed = Folder + "/indexed.bc";
  RunOptions Quiet;
  Quiet.StderrFile = Folder + "/join-stderr";
  Strings Parts;
  for (const LinkInput &I : Line.Inputs) {
    Parts.push_back(Folder + "/part" + std::to_string(Parts.size()) + ".bc");
    if (Why.empty() && !extractBitcode(I.Path, Parts.back()))
      Why = fileName(I.Path) + " cannot be read";
  }
  Parts.insert(Parts.end(), {"-o", Joined});
  if (Why.empty() && !run(Tools.LlvmLink, Parts, Quiet).ok())
    Why = "llvm-link cannot join its parts";
  if (Why.empty() && !run(Tools.Opt, {"-passes=name-anon-globals", "--module-summary", Joined, "-o", Indexed}, Quiet).ok())
    Why = "opt cannot index its joined parts";
  std::string Text;
  if (Why.empty() && !(readFile(Indexed, Text) && readBitcode(Text).Valid))
    Why = "its joined bitcode has no symbol table";
  if (!replaceHalf(Tools.Objcopy, Line.Output, Why.empty() ? Indexed : ""))
    return Why.empty() ? "llvm-objcopy cannot put its bitcode in" : Why;
  if (!Why.empty())
    return Why;
  Why = inspect(Line.Output).Difference;
  if (Why.empty())
    return {};
  replaceHalf(Tools.Objcopy, Line.Output, "");
  return Why;
}

} // namespace freehold::cc
