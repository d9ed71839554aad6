// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CompileSources.cpp - C and C++ sources become bitcode by the compiler of the user's choice of flags: freehold-cc where it lies
// beside this program, so that the summary is the very one a build gives; else clang of our LLVM version.

#include "Inputs.h"
#include "Paths.h"
#include "Scratch.h"
#include "summary/Nesting.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace freehold {

static bool isCPlusPlus(StringRef FileName) {
  return StringSwitch<bool>(sys::path::extension(FileName))
      .Cases(".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".ii", true)
      .Default(false);
}

bool isSource(StringRef FileName) {
  StringRef Suffix = sys::path::extension(FileName);
  return Suffix == ".c" || Suffix == ".i" || isCPlusPlus(FileName);
}

Error compileSource(const CompileJob &Job, StringRef Output) {
  bool CPlusPlus = isCPlusPlus(Job.Source);
  std::string Compiler = companion(CPlusPlus ? "freehold-c++" : "freehold-cc");
  bool Ours = !Compiler.empty();
  if (!Ours)
    Compiler = findClang(CPlusPlus);
  if (Compiler.empty())
    return inputError("no compiler for '" + Job.Source +
                      "': neither freehold-cc beside freehold nor clang-19 was found; on Debian: apt-get " +
                      "install clang-19 lld-19");
  std::vector<std::string> Words;
  if (!Job.Folder.empty())
    Words = {"/usr/bin/env", "-C", Job.Folder};
  Words.push_back(Compiler);
  Words.push_back("-g"); // names of variables, for witnesses
  Words.insert(Words.end(), Job.Flags.begin(), Job.Flags.end());
  if (!Ours) {
    // Raw IR: a summary is made before inlining, whatever the level.
    for (const char *Flag : {"-emit-llvm", "-Xclang", "-disable-llvm-passes"})
      Words.push_back(Flag);
  }
  for (StringRef Word : {StringRef("-c"), StringRef(Job.Source), StringRef("-o"), Output})
    Words.push_back(Word.str());
  std::string Message;
  if (runChild(Words, Message) != 0)
    return inputError("'" + Job.Source + "' does not compile" + (Message.empty() ? "" : ": " + Message));
  return Error::success();
}

/// What a recorded command has beside the flags that matter: the compiler, its output and dependency files.
static std::vector<std::string> cleanFlags(ArrayRef<StringRef> Words, StringRef Source) {
  std::vector<std::string> Flags;
  for (size_t I = 1; I < Words.size(); ++I) {
    StringRef W = Words[I];
    if (W == "-o" || W == "-MF" || W == "-MT" || W == "-MQ") {
      ++I;
      continue;
    }
    if (W == "-c" || W == "-MD" || W == "-MMD" || W == "-MP" || W == Source || (W.starts_with("-o") && W.size() > 2))
      continue;
    Flags.push_back(W.str());
  }
  return Flags;
}

Expected<std::vector<CompileJob>> readCompileCommands(StringRef FileName) {
  auto Buffer = MemoryBuffer::getFile(FileName);
  if (!Buffer)
    return inputError("cannot read '" + FileName + "': " + Buffer.getError().message());
  if (std::optional<unsigned> Line = deepNesting((*Buffer)->getBuffer(), JSONNesting, DeepestInput))
    return inputError("'" + FileName + "' is not JSON: nested too deeply at line " + Twine(*Line));
  Expected<json::Value> V = json::parse((*Buffer)->getBuffer());
  if (!V)
    return inputError("'" + FileName + "' is not JSON: " + toString(V.takeError()));
  const json::Array *Entries = V->getAsArray();
  if (!Entries)
    return inputError("'" + FileName + "' is not a compile_commands.json: no array");
  std::vector<CompileJob> Jobs;
  for (const json::Value &E : *Entries) {
    const json::Object *O = E.getAsObject();
    std::optional<StringRef> File = O ? O->getString("file") : std::nullopt;
    if (!File)
      return inputError("'" + FileName + "' is not a compile_commands.json: an entry without file");
    if (!isSource(*File))
      continue;
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *, 64> Tokens;
    SmallVector<StringRef, 64> Words;
    if (const json::Array *Arguments = O->getArray("arguments")) {
      for (const json::Value &A : *Arguments)
        Words.push_back(A.getAsString().value_or(""));
    } else {
      cl::TokenizeGNUCommandLine(O->getString("command").value_or(""), Saver, Tokens);
      Words.append(Tokens.begin(), Tokens.end());
    }
    CompileJob Job{File->str(), O->getString("directory").value_or("").str(), cleanFlags(Words, *File)};
    // One source compiled for two targets in the same way is the same code.
    if (none_of(Jobs,
                [&](const CompileJob &J) { return J.Source == Job.Source && J.Folder == Job.Folder && J.Flags == Job.Flags; }))
      Jobs.push_back(std::move(Job));
  }
  return Jobs;
}

} // namespace freehold
