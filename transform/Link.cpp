// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link.cpp - one link, in order: read the summaries, ask the linker's answer, merge, solve, judge, report, rewrite.
//
// The build never fails here. Where something is wrong Freehold stands aside: the module is restored to what it would have been
// without us, the report and the mark say why.

#include "Link.h"
#include "Allocation.h"
#include "Capture.h"
#include "InlineFastPath.h"
#include "OwnerCheck.h"
#include "Resolve.h"
#include "Rewrite.h"
#include "SiteNames.h"
#include "escape/Analysis.h"
#include "summary/SummaryBuilder.h"
#include "summary/SummaryIO.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <sys/resource.h>

using namespace llvm;

namespace freehold {
namespace {

class Link {
public:
  Link(llvm::Module &IR, LinkState &State) : IR(IR), State(State), C(State.C), M(State.M) {}
  void run();

private:
  llvm::Module &IR;
  LinkState &State;
  const Config &C;
  Mark &M;
  std::vector<Module> Summaries;
  unsigned Operands = 0;
  std::string FirstBad; ///< why the first summary could not be read
  Report Out;

  void readSummaries();
  void findUnchecked();
  bool loadModels();
  void analyse();
  void forceLocal();
  void rewrite();
  std::string whyKept(const SiteReport &S, const Conservation &Seen, const DenseSet<uint64_t> &Shared, Families Allowed) const;
  Families allowedFamilies(const Resolution &R) const;
  std::string redefinedCopy() const;
  void finish();
};

double secondsSince(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
}

constexpr char NativeText[] = "linked as plain objects, whose code is not known"; // tools/freehold-cc/LinkState.cpp too

constexpr char UnreadText[] = "modules whose summary cannot be read, so what they do is not known";

/// Warnings end up on one line of the mark.
std::string oneLine(std::string Text) {
  for (char &Ch : Text)
    if (Ch == '\n')
      Ch = ' ';
  return Text;
}

StringRef textOf(const MDNode &Node) {
  const auto *Text = Node.getNumOperands() == 1 ? dyn_cast_or_null<MDString>(Node.getOperand(0)) : nullptr;
  return Text ? Text->getString() : StringRef();
}

} // namespace

void Link::readSummaries() {
  const NamedMDNode *Node = IR.getNamedMetadata(SummaryMetadata);
  if (!Node)
    return;
  for (const MDNode *Operand : Node->operands()) {
    ++Operands;
    Expected<Module> Summary = readSummary(textOf(*Operand));
    if (Summary) {
      Summaries.push_back(std::move(*Summary));
      continue;
    }
    std::string Why = oneLine(toString(Summary.takeError()));
    if (++M.SummariesBad == 1)
      FirstBad = std::move(Why);
  }
  if (M.SummariesBad)
    M.Warnings.push_back(std::to_string(M.SummariesBad) +
                         " of the modules have a summary that cannot be read, what they do is not known [FH303]: " + FirstBad);
  M.Modules = Summaries.size();
}

/// Once one module is checked, the others are named.
void Link::findUnchecked() {
  if (!C.MallocIsOurs) // no block is local, and the runtime is not linked
    return;
  StringSet<> Marked;
  if (const NamedMDNode *Node = IR.getNamedMetadata(CheckMetadata))
    for (const MDNode *Operand : Node->operands())
      Marked.insert(textOf(*Operand));
  State.Instrument = C.Check || !Marked.empty();
  if (Marked.empty() || C.Check)
    return;
  for (const Module &S : Summaries)
    if (!Marked.contains(S.str(S.Name)))
      M.Unchecked.push_back(S.str(S.Name));
}

bool Link::loadModels() {
  Expected<Models> Loaded = Models::load(C.Models);
  if (Loaded && !C.OwnModels.empty())
    if (Error E = sys::fs::is_directory(C.OwnModels)
                      ? Loaded->addFolder(C.OwnModels)
                      : createStringError(inconvertibleErrorCode(), "'" + C.OwnModels + "' is no folder"))
      Loaded = std::move(E);
  if (!Loaded) {
    M.Aside = oneLine("the models cannot be read: " + toString(Loaded.takeError()));
    return false;
  }
  if (!Loaded->find("malloc")) {
    M.Aside = "no model of malloc in '" + C.Models + "'";
    return false;
  }
  State.Library = std::move(*Loaded);
  return true;
}

/// Test hook (Config.h).
void Link::forceLocal() {
  for (SiteReport &S : Out.Sites)
    for (const std::string &Which : C.ForceLocal)
      if (Which == S.Id || Which == S.File + ":" + std::to_string(S.Line) ||
          Which == sys::path::filename(S.File).str() + ":" + std::to_string(S.Line)) {
        S.V = Verdict::Local;
        S.Rule = "unreachable";
        S.Why.reset();
      }
}

Families Link::allowedFamilies(const Resolution &R) const {
  Families F;
  auto Replaced = [&](Family Of) {
    for (const llvm::Function &Fn : IR)
      if (belongsToFamily(Fn.getName(), Of) && !Fn.isDeclaration())
        return true;
    for (const auto &Name : R.Redefined)
      if (belongsToFamily(Name.getKey(), Of))
        return true;
    for (const GlobalAlias &A : IR.aliases())
      if (belongsToFamily(A.getName(), Of))
        return true;
    for (const GlobalIFunc &A : IR.ifuncs())
      if (belongsToFamily(A.getName(), Of))
        return true;
    return false;
  };
  // Delete ends in free: whoever owns free owns both.
  F.Malloc = C.MallocIsOurs && !Replaced(Family::Malloc);
  F.New = F.Malloc && !Replaced(Family::New);
  return F;
}

/// Why a local site was not rewritten.
std::string Link::whyKept(const SiteReport &S, const Conservation &Seen, const DenseSet<uint64_t> &Shared,
                          Families Allowed) const {
  uint64_t Id = 0;
  StringRef(S.Id).getAsInteger(16, Id);
  const AllocationFunction *A = findAllocation(S.Callee);
  if (Shared.contains(Id))
    return "another site or context that shares its code is not local";
  if (!Seen.Copies.lookup(Id))
    return "no call of it is left, the optimiser removed it";
  if (A && !(A->Of == Family::New ? Allowed.New : Allowed.Malloc))
    return "the program or the link replaces the allocator [FH205]";
  if (!A || !A->Local)
    return "the local heap has no " + S.Callee;
  return "its call has another type than " + S.Callee;
}

void Link::rewrite() {
  DenseMap<uint64_t, bool> Known, Local;
  for (const Module &S : Summaries)
    for (const Site &Where : S.Sites)
      Known[Where.Id] = true;
  DenseSet<uint64_t> Shared;
  for (const SiteReport &S : Out.Sites) {
    uint64_t Id = 0;
    if (StringRef(S.Id).getAsInteger(16, Id))
      continue;
    State.Places[Id] = S.File + ":" + std::to_string(S.Line);
    if (S.V == Verdict::Local)
      Local[Id] = true;
    else
      Shared.insert(Id);
  }
  for (uint64_t Id : Shared)
    Local.erase(Id);

  Conservation Seen = countIds(IR, Known);
  M.IdsLost = Seen.WithoutId + (M.SummariesBad ? 0 : Seen.Foreign); // what no summary knows: one could not be read
  if (M.IdsLost) {
    M.Warnings.push_back(std::to_string(M.IdsLost) + " allocation calls lost their ids and stay shared (FH209)");
    Out.Assumptions.push_back({"FH209", "allocation calls without a known id stay shared", M.IdsLost, {}});
  }
  Resolution Redefinitions;
  for (const std::string &Name : redefinedNames(IR, C))
    Redefinitions.Redefined.insert(Name);
  Families Allowed = allowedFamilies(Redefinitions);
  if (!C.Foreign.empty())
    Out.Assumptions.push_back({"FH306", "linked without bitcode (built by another compiler), so what it does is not known",
                               unsigned(C.Foreign.size()), C.Foreign});
  if (!Allowed.Malloc && !C.MallocIn.empty())
    Out.Assumptions.push_back({"FH205", "the program's own malloc stays, and nothing is rewritten", 1, {C.MallocIn}});
  else if ((!Allowed.Malloc || !Allowed.New) && !Local.empty())
    Out.Assumptions.push_back({"FH205",
                               "local sites are not rewritten where the program or the link replaces the allocator",
                               unsigned(Local.size()),
                               {}});
  if (M.SummariesBad)
    Out.Assumptions.push_back({"FH303", UnreadText, M.SummariesBad, {}});
  if (!C.Native.empty())
    Out.Assumptions.push_back({"FH303", NativeText, unsigned(C.Native.size()), C.Native});
  DenseMap<uint64_t, unsigned> Copies = rewriteSites(IR, Local, Allowed);
  for (SiteReport &S : Out.Sites) {
    uint64_t Id = 0;
    S.Rewritten = !StringRef(S.Id).getAsInteger(16, Id) && Copies.lookup(Id) > 0;
    if (S.V == Verdict::Local && !S.Rewritten)
      S.NotRewritten = whyKept(S, Seen, Shared, Allowed);
  }
  M.Rewritten = Out.rewritten();
}

void Link::analyse() {
  auto Start = std::chrono::steady_clock::now();
  bool Foreign = M.SummariesBad || hasForeignCode(IR, Operands);
  if (Foreign && !M.SummariesBad && M.Modules)
    M.Warnings.push_back("the link holds bitcode without a summary: it counts as external");
  Resolution R = resolveFromLink(IR, Summaries, Foreign, C);
  if (!C.Capture.empty())
    if (Error E = writeCapture(IR, R, C.Capture))
      M.Warnings.push_back(oneLine(toString(std::move(E))));
  Report::Times T;
  AnalysisOptions How;
  How.PointsTo = C.PointsTo;
  How.Base = C.Base;
  auto Lap = [&](double &To) {
    To = secondsSince(Start);
    Start = std::chrono::steady_clock::now();
  };
  auto Merged = [&](const Program &P) {
    DenseSet<Index> Defined;
    for (const Function &F : P.Functions)
      Defined.insert(F.Symbol);
    Out.Functions = Defined.size();
    Lap(T.Read);
  };
  auto Solved = [&](const Program &, const Solution &, const SolverOptions &) { Lap(T.Solve); };
  Analysis{*State.Library, How, Merged, Solved, nullptr}.run(Summaries, R, Out);
  if (!Out.Degraded.empty())
    M.Warnings.push_back("points-to is " + Out.Degraded);
  if (Out.Aside) {
    M.Aside = "the points-to analysis did not finish within its work limit; nothing is rewritten [FH207]";
    return;
  }
  T.Verdicts = secondsSince(Start);
  rusage Usage;
  if (!getrusage(RUSAGE_SELF, &Usage))
    T.PeakRSSMB = unsigned(Usage.ru_maxrss / 1024);
  if (C.Timings)
    Out.Timings = T;
}

/// Report and mark, whatever happened before.
void Link::finish() {
  if (!M.Aside.empty()) {
    Out.Aside = M.Aside;
    Out.Sites.clear();
  }
  M.Sites = Out.Sites.size();
  for (const std::string &Name : C.Reports) // what a text report names for `freehold explain`
    if (sys::path::extension(Name) == ".json" && Out.Again.empty()) {
      raw_string_ostream Words(Out.Again);
      Words << ' ';
      sys::printArg(Words, Name, /*Quote=*/false);
    }
  for (const std::string &Name : C.Reports)
    if (Error E = writeReport(Out, Name))
      M.Warnings.push_back(oneLine(toString(std::move(E))));
  std::string Problem = writeMark(M, C.Mark);
  if (!Problem.empty())
    errs() << "freehold: warning: " << Problem << "\n";
}

/// memcpy and its kin are part of the IR's language and have no calls in it that could be told from the library's.
std::string Link::redefinedCopy() const {
  std::vector<std::string> Names = redefinedNames(IR, C);
  for (const char *Name : {"memcpy", "memmove", "memset"}) {
    const llvm::Function *F = IR.getFunction(Name);
    if (is_contained(Names, Name) || (F && !F->isDeclaration()))
      return Name;
  }
  return {};
}

void Link::run() {
  Out.Version = FREEHOLD_VERSION;
  Out.Linked = true;
  Out.LLVMVersion = LLVM_VERSION_STRING;
  Out.ProgramName = sys::path::filename(C.Output).str();
  Out.PointsTo = C.PointsTo;
  Out.Escape = C.Escape;
  readSummaries();
  findUnchecked();
  if (C.Escape != "reachable" || !isPointsTo(C.PointsTo))
    M.Aside = "escape=" + C.Escape + " points-to=" + C.PointsTo + " is not built";
  else if (std::string Name = redefinedCopy(); !Name.empty())
    M.Aside = "the program or the link redefines '" + Name + "'";
  else if (loadModels()) {
    analyse();
    forceLocal();
    rewrite();
  }
  finish();
}

void linkEarly(llvm::Module &M, LinkState &State) { Link(M, State).run(); }

void linkLast(llvm::Module &M, LinkState &State) {
  if (State.Instrument)
    instrumentOwnerCheck(M, State);
  inlineFastPaths(M, State.C.Shared);
  stripMarks(M);
}

} // namespace freehold
