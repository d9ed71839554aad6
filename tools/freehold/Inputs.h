// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs.h - from files of any kind to module summaries.
//
// Objects carry their bitcode in the ELF section .llvm.lto (clang's -ffat-lto-objects), and the bitcode its summary in the named
// metadata freehold.summary. Bitcode without one (made by plain clang) is summarised here.
#pragma once

#include "Options.h"
#include "solver/Program.h"
#include <optional>

namespace freehold {

/// So many brackets may be open in a text that is parsed: far more than any program writes, far fewer than the stack holds.
constexpr unsigned DeepestInput = 500;

struct Inputs {
  std::vector<Module> Modules;
  std::vector<std::string> Warnings;                ///< a plain object, an archive member without bitcode, ...
  std::vector<std::string> PlainDefined, PlainUsed; ///< symbols of plain objects: they replace, reach, or are reached
  std::optional<Resolution> Link;                   ///< of a captured link (transform/Capture.h), which is the only input
  std::string Name;                                 ///< of the program: the first input's base name without suffix
};

/// Reads all; the first fault is the answer. Sources are compiled into a folder that is gone afterwards.
llvm::Expected<Inputs> readInputs(const AnalyzeOptions &O);

/// One compiler call for a source.
struct CompileJob {
  std::string Source, Folder; ///< Folder: to run in; empty: here
  std::vector<std::string> Flags;
};

bool isSource(llvm::StringRef FileName);
llvm::Expected<std::vector<CompileJob>> readCompileCommands(llvm::StringRef FileName);
/// Compiles to bitcode, or to an object with bitcode, at Output.
llvm::Error compileSource(const CompileJob &Job, llvm::StringRef Output);

} // namespace freehold
