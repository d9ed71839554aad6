// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics.cpp - see Statistics.h. The order of keys and of causes is fixed; only times and memory differ between two runs.

#include "Statistics.h"
#include "Reasons.h"
#include "solver/Contexts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include <map>
#include <sys/resource.h>

using namespace llvm;

namespace freehold {
namespace {

constexpr size_t ShownCauses = 10;

rusage used() {
  rusage Usage = {};
  getrusage(RUSAGE_SELF, &Usage);
  return Usage;
}

double cpuSeconds() {
  rusage U = used();
  return double(U.ru_utime.tv_sec + U.ru_stime.tv_sec) + double(U.ru_utime.tv_usec + U.ru_stime.tv_usec) * 1e-6;
}

/// By microseconds: more digits would only look exact.
void printSeconds(json::OStream &J, StringRef Key, double Seconds) {
  J.attributeBegin(Key);
  J.rawValue([&](raw_ostream &OS) { OS << format("%.6f", Seconds); });
  J.attributeEnd();
}

void printStages(json::OStream &J, const Stages &S) {
  for (const Stages::Stage &Each : S.all())
    J.object([&] {
      J.attribute("name", Each.Name);
      printSeconds(J, "seconds", Each.Seconds);
      printSeconds(J, "cpu_seconds", Each.CPUSeconds);
      J.attribute("peak_rss_mb", Each.PeakRSSMB);
    });
}

void printCauses(json::OStream &J, StringRef Key, ArrayRef<CauseCount> Causes) {
  J.attributeArray(Key, [&] {
    for (const CauseCount &C : Causes.take_front(ShownCauses))
      J.object([&] {
        J.attribute("code", C.Code ? json::Value(reasonName(C.Code)) : json::Value(nullptr));
        J.attribute("text", json::fixUTF8(C.Text));
        J.attribute("count", C.Count);
      });
  });
}

} // namespace

unsigned peakMegabytes() { return unsigned(used().ru_maxrss / 1024); }

Stages::Stages() : Since(std::chrono::steady_clock::now()), CPUSince(cpuSeconds()) {}

void Stages::next(StringRef Name) {
  auto Now = std::chrono::steady_clock::now();
  double CPU = cpuSeconds();
  if (!Name.empty())
    Done.push_back({Name.str(), std::chrono::duration<double>(Now - Since).count(), CPU - CPUSince, peakMegabytes()});
  Since = Now;
  CPUSince = CPU;
}

ProgramStatistics::ProgramStatistics(std::string Name, ArrayRef<Module> Summaries) : Name(std::move(Name)) {
  for (const Module &M : Summaries)
    Modules.push_back(M.str(M.Name));
}

ProgramStatistics::Size ProgramStatistics::sizeOf(const Program &P) {
  return {P.Functions.size(), P.Constraints.size(), P.ValueNames.size(), P.Objects.size(), P.Calls.size(), P.Sites.size()};
}

void ProgramStatistics::merged(const Program &P) {
  Before = sizeOf(P);
  Stages.next("merge");
}

void ProgramStatistics::solved(const Program &P, const Solution &S) {
  Stages.next("solve");
  After = sizeOf(P);
  Copies = P.Clones.size();
  Solver = S.Stats;
  Finished = S.Finished;
}

void ProgramStatistics::judged(const Report &R) {
  Stages.next("verdicts");
  Judged = R;
  std::map<std::string, uint64_t> ByCode;
  for (const SiteReport &S : R.Sites)
    if (S.Why)
      ++ByCode[S.Why->Code];
  for (const auto &[Code, Count] : ByCode)
    if (const ReasonInfo *Info = findReason(Code))
      Reasons.push_back({ReasonCode(Info->Code), Info->Meaning, Count});
  sort(Reasons, [](const CauseCount &A, const CauseCount &B) { return std::tie(B.Count, A.Code) < std::tie(A.Count, B.Code); });
}

void ProgramStatistics::print(json::OStream &J, StringRef Key, const Size &S) {
  J.attributeObject(Key, [&] {
    J.attribute("functions", int64_t(S.Functions));
    J.attribute("constraints", int64_t(S.Constraints));
    J.attribute("values", int64_t(S.Values));
    J.attribute("objects", int64_t(S.Objects));
    J.attribute("calls", int64_t(S.Calls));
    J.attribute("sites", int64_t(S.Sites));
  });
}

void ProgramStatistics::print(json::OStream &J) const {
  J.attribute("name", json::fixUTF8(Name));
  J.attributeArray("modules", [&] {
    for (const std::string &Source : Modules)
      J.value(json::fixUTF8(Source));
  });
  J.attribute("finished", Finished);
  print(J, "size", Before);
  print(J, "size_with_contexts", After);
  J.attribute("copies", int64_t(Copies));
  J.attributeObject("solver", [&] {
    J.attribute("nodes", Solver.Nodes);
    J.attribute("edges", Solver.Edges);
    J.attribute("rounds", Solver.Rounds);
    J.attribute("steps", Solver.Steps);
    J.attribute("collapsed", Solver.Collapsed);
  });
  J.attributeArray("stages", [&] { printStages(J, Stages); });
  if (Judged) {
    auto Counts = [&](StringRef Key, auto Of) {
      J.attributeObject(Key, [&] {
        J.attribute("local", Of(Verdict::Local));
        J.attribute("shared", Of(Verdict::Shared));
        J.attribute("unknown", Of(Verdict::Unknown));
      });
    };
    Counts("sites", [&](Verdict V) { return Judged->count(V); });
    Counts("site_contexts", [&](Verdict V) { return Judged->SiteContexts[size_t(V)]; });
    printCauses(J, "reasons", Reasons);
  }
  if (Why) {
    J.attributeObject("external", [&] {
      J.attribute("values", Why->Values);
      J.attribute("external", Why->External);
      printCauses(J, "causes", Why->OfValues);
    });
    J.attributeObject("escaped", [&] {
      J.attribute("objects", Why->Objects);
      J.attribute("escaped", Why->Escaped);
      printCauses(J, "causes", Why->OfObjects);
    });
  }
}

Error Statistics::write(const AnalyzeOptions &O) const {
  if (O.Stats.empty())
    return Error::success();
  return writeFile(O.Stats, [&](raw_ostream &OS) {
    json::OStream J(OS, 2);
    J.object([&] {
      J.attribute("schema", "freehold-analysis-stats/1");
      J.attributeObject("tool", [&] {
        J.attribute("version", FREEHOLD_VERSION);
        J.attribute("llvm", LLVM_VERSION_STRING);
      });
      J.attributeObject("settings", [&] {
        J.attribute("points_to", O.PointsTo);
        J.attribute("context_depth", O.ContextDepth.value_or(ContextOptions().Depth));
      });
      J.attributeArray("stages", [&] { printStages(J, Reading); });
      J.attributeArray("programs", [&] {
        for (const ProgramStatistics &P : Programs)
          J.object([&] { P.print(J); });
      });
    });
    OS << '\n';
  });
}

} // namespace freehold
