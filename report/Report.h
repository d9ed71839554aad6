// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Report.h - the one model all drawings are made from; schema freehold-report/1 (docs/report-schema.md).
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace freehold {

enum class Verdict { Local, Shared, Unknown };

struct Step {
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string What;
};
struct Frame {
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function;
};

struct Reason {
  std::string Code; ///< FH102
  std::string Text; ///< passed to a new thread by pthread_create
  std::vector<Step> Path;
};

struct SiteReport {
  std::string Id; ///< 16 hex digits
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function, Callee;
  std::optional<uint64_t> Size;
  std::vector<Frame> Context;
  Verdict V = Verdict::Unknown;
  std::string Rule; ///< "reachable's name for its proof": "unreachable"; empty if not local
  bool Rewritten = false;
  std::string NotRewritten;  ///< of a link, where a local site was not: why
  std::optional<Reason> Why; ///< not for local sites
};

struct Assumption {
  std::string Code, Text;
  unsigned Count = 0;
  std::vector<std::string> Where;
};

struct Report {
  std::string Version, LLVMVersion;
  std::string ProgramName;
  unsigned Functions = 0;
  std::string PointsTo = "field-sensitive", Escape = "reachable";
  unsigned Frees = 0, FreesRewritten = 0, Unreachable = 0;
  /// Sites, each as often as it has contexts, by Verdict; in no report.
  std::array<unsigned, 3> SiteContexts = {};
  std::vector<SiteReport> Sites;
  std::vector<Assumption> Assumptions;
  std::optional<std::string> Aside; ///< Freehold stood aside: why
  struct Times {
    double Read = 0, Solve = 0, Verdicts = 0;
    unsigned PeakRSSMB = 0;
  };
  std::optional<Times> Timings;
  bool Linked = false; ///< made by a link, which rewrites; in no report
  std::string Base;    ///< folder that File names are relative to (empty: the working directory); for excerpts, in no report

  std::string
      Again; ///< words behind `freehold explain FILE:LINE` that give these verdicts: a report's name or inputs; in no report

  unsigned count(Verdict V) const;
  unsigned rewritten() const;
};

/// Text is for people (colour only if Colour), the others for machines. All end with a newline and are deterministic.
void printText(const Report &R, llvm::raw_ostream &OS, bool Colour = false);
void printJSON(const Report &R, llvm::raw_ostream &OS);
/// The text must not be nested deeply: LLVM's parser goes down the stack.
llvm::Expected<Report> readJSON(llvm::StringRef Text);
/// What `freehold explain` tells of some sites: freehold-explain/1.
void printExplanation(const Report &R, llvm::ArrayRef<const SiteReport *> Sites, llvm::raw_ostream &OS);

/// Format by suffix: .txt .json (.sarif .html are known and refused until they exist). writeReport writes beside, then renames; a
/// format given wins over the suffix.
enum class Format { Text, JSON };
llvm::Expected<Format> formatOf(llvm::StringRef FileName);
/// Beside its place, then renamed.
llvm::Error writeFile(llvm::StringRef FileName, llvm::function_ref<void(llvm::raw_ostream &)> Print);
llvm::Error writeReport(const Report &R, llvm::StringRef FileName, std::optional<Format> F = std::nullopt);

} // namespace freehold
