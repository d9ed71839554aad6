// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Join.cpp - working on bitcode halves (see Join.h).
//
// The linkers' -r leaves the halves behind one another (binutils) or drops them (lld). llvm-link makes one module of them, by the
// rules by which the linker joined the native code, and keeps every summary; a module summary index besides is what marks a
// bitcode file as fit for unified LTO. Whether both halves came to the same symbols is compared afterwards, as for every object
// that is linked.
#include "Join.h"
#include "Bitcode.h"

namespace freehold::cc {

/// llvm-link, then opt for the index.
static std::string indexed(const Toolchain &Tools, const std::string &Folder, Strings Parts, const std::string &Result) {
  RunOptions Quiet;
  Quiet.StderrFile = Folder + "/join-stderr";
  std::string Joined = Result + ".joined", Text;
  Parts.insert(Parts.end(), {"-o", Joined});
  if (!run(Tools.LlvmLink, Parts, Quiet).ok())
    return "llvm-link cannot join its parts";
  if (!run(Tools.Opt, {"-passes=name-anon-globals", "--module-summary", Joined, "-o", Result}, Quiet).ok())
    return "opt cannot index its joined parts";
  return readFile(Result, Text) && readBitcode(Text).Valid ? "" : "its joined bitcode has no symbol table";
}

std::string nativeCopy(const LinkInput &I, const Toolchain &Tools, const std::string &Folder) {
  std::string Copy = Folder + "/" + std::to_string(I.At) + "-" + fileName(I.Path);
  bool Done = !I.Facts.Thin && !I.Scripted && run(Tools.Objcopy, {"--remove-section=.llvm.lto", I.Path, Copy}).ok() &&
              !inspect(Copy).Bitcode;
  return Done ? Copy : "";
}

std::string unifiedCopy(const LinkInput &I, const Toolchain &Tools, const std::string &Folder) {
  std::string Flag = Folder + "/unified.ll", Copy = Folder + "/" + std::to_string(I.At) + "-" + fileName(I.Path);
  // The unit was to be split, which is of use for type tests alone: without them it need not be.
  const char *const Flags = "!llvm.module.flags = !{!0, !1}\n!0 = !{i32 1, !\"UnifiedLTO\", i32 1}\n"
                            "!1 = !{i32 4, !\"EnableSplitLTOUnit\", i32 0}\n";
  std::string Text;
  bool Done = !I.Facts.Archive && !I.Scripted && readFile(I.Path, Text) && Text.find("llvm.type.") == std::string::npos &&
              Text.find("llvm.public.type.") == std::string::npos && writeFile(Flag, Flags) &&
              indexed(Tools, Folder, {I.Path, Flag}, Copy).empty();
  return Done ? Copy : "";
}

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
  std::string Why = whyNotJoined(Line), Joined = Folder + "/joined.bc";
  Strings Parts;
  for (const LinkInput &I : Line.Inputs) {
    Parts.push_back(Folder + "/part" + std::to_string(Parts.size()) + ".bc");
    if (Why.empty() && !extractBitcode(I.Path, Parts.back()))
      Why = fileName(I.Path) + " cannot be read";
  }
  if (Why.empty())
    Why = indexed(Tools, Folder, Parts, Joined);
  if (!replaceHalf(Tools.Objcopy, Line.Output, Why.empty() ? Joined : ""))
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
