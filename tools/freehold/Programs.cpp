// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs.cpp - see Programs.h.

#include "Programs.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace llvm;

namespace freehold {
namespace {

bool isStrong(const Symbol &S) { return S.Link == Linkage::External || S.Link == Linkage::Common; }
bool isAlias(const Symbol &S) { return S.Aliasee != None; }

bool definesMain(const Module &M) {
  return any_of(M.Symbols, [&](const Symbol &S) { return isStrong(S) && S.Function != None && M.str(S.Name) == "main"; });
}

/// What plain objects among the inputs tell: what they define is not ours, what they use is reached from outside.
void addPlainObjects(const Inputs &In, Resolution &R) {
  for (const std::string &Name : In.PlainDefined) {
    R.Redefined.insert(Name);
    R.Symbols[Name].DefinedOutside = true;
    R.Symbols[Name].VisibleOutside = true;
  }
  for (const std::string &Name : In.PlainUsed)
    R.Symbols[Name].VisibleOutside = true;
}

/// A linker would refuse them or take one from an archive: which one is not known here.
Error lookForRivals(OneProgram &P, std::set<std::string> &Notes) {
  std::map<std::string, std::pair<const Module *, const Symbol *>> First;
  for (const Module &M : P.Modules)
    for (const Symbol &S : M.Symbols) {
      if (!isStrong(S))
        continue;
      auto [It, New] = First.try_emplace(M.str(S.Name), &M, &S);
      if (New)
        continue;
      auto [Other, Rival] = It->second;
      std::string Where = It->first + " is defined in " + Other->str(Other->Name) + " and in " + M.str(M.Name);
      if (isAlias(S) || isAlias(*Rival))
        return inputError(Where + ", once as an alias: analyse the programs one by one");
      if (!(S.Link == Linkage::Common && Rival->Link == Linkage::Common)) {
        P.Symbols.AllDefinitions = true;
        Notes.insert(Where + ": both count");
      }
    }
  return Error::success();
}

unsigned badness(Verdict V) { return V == Verdict::Shared ? 2 : V == Verdict::Unknown ? 1 : 0; }

/// FILE:LINE, by file and then by line as a number.
bool earlier(StringRef A, StringRef B) {
  auto [FileA, LineA] = A.rsplit(':');
  auto [FileB, LineB] = B.rsplit(':');
  return std::make_tuple(FileA, LineA.size(), LineA) < std::make_tuple(FileB, LineB.size(), LineB);
}

/// The places of all; the number is that of the places where all are listed, else at least the largest.
std::vector<Assumption> mergeAssumptions(const std::vector<Report> &Parts) {
  std::map<std::string, Assumption> ByCode;
  for (const Report &R : Parts)
    for (const Assumption &A : R.Assumptions) {
      Assumption &To = ByCode.try_emplace(A.Code, Assumption{A.Code, A.Text, 0, {}}).first->second;
      To.Count = std::max(To.Count, A.Count);
      To.Where.insert(To.Where.end(), A.Where.begin(), A.Where.end());
    }
  std::vector<Assumption> Out;
  for (auto &[Code, A] : ByCode) {
    sort(A.Where, earlier);
    A.Where.erase(std::unique(A.Where.begin(), A.Where.end()), A.Where.end());
    A.Count = std::max<unsigned>(A.Count, A.Where.size());
    Out.push_back(std::move(A));
  }
  return Out;
}

} // namespace

Expected<std::vector<OneProgram>> splitPrograms(Inputs &In, std::vector<std::string> &Notes) {
  if (In.Link) // the linker has said what belongs together
    return std::vector<OneProgram>{{In.Name, std::move(In.Modules), std::move(*In.Link)}};
  std::vector<size_t> Mains;
  std::vector<std::string> Names;
  for (size_t I = 0; I < In.Modules.size(); ++I)
    if (definesMain(In.Modules[I])) {
      Mains.push_back(I);
      Names.push_back(In.Modules[I].str(In.Modules[I].Name));
    }
  std::vector<OneProgram> Out;
  if (Mains.size() < 2)
    Out.push_back({In.Name, std::move(In.Modules), {}});
  for (size_t Main : Mains) {
    if (Mains.size() < 2)
      break;
    OneProgram P{sys::path::stem(In.Modules[Main].str(In.Modules[Main].Name)).str(), {}, {}};
    for (size_t I = 0; I < In.Modules.size(); ++I)
      if (I == Main || !is_contained(Mains, I))
        P.Modules.push_back(In.Modules[I]);
    Out.push_back(std::move(P));
  }
  std::set<std::string> Rivals;
  for (OneProgram &P : Out) {
    P.Symbols = defaultResolution(P.Modules);
    addPlainObjects(In, P.Symbols);
    if (Error E = lookForRivals(P, Rivals))
      return std::move(E);
  }
  sort(Names);
  if (Mains.size() > 1)
    Notes.push_back(std::to_string(Mains.size()) + " inputs define main (" + join(Names, ", ") +
                    "): each is analysed as a program of its own with what has no main; the worst verdict of a site holds");
  Notes.insert(Notes.end(), Rivals.begin(), Rivals.end());
  return std::move(Out);
}

Report mergeReports(std::vector<Report> Parts, const Inputs &In) {
  if (Parts.size() == 1)
    return std::move(Parts[0]);
  Report Out = Parts[0];
  std::map<std::string, SiteReport> ById;
  std::set<std::string> Names;
  for (const Report &R : Parts) {
    Names.insert(R.ProgramName);
    for (const SiteReport &S : R.Sites) {
      SiteReport &Known = ById.try_emplace(S.Id, S).first->second;
      if (badness(S.V) > badness(Known.V))
        Known = S;
    }
  }
  Out.Sites.clear();
  for (auto &[Id, S] : ById)
    Out.Sites.push_back(S);
  sort(Out.Sites, [](const SiteReport &A, const SiteReport &B) {
    return std::tie(A.File, A.Line, A.Column, A.Function, A.Id) < std::tie(B.File, B.Line, B.Column, B.Function, B.Id);
  });
  Out.ProgramName = join(Names, ", ");
  Out.Assumptions = mergeAssumptions(Parts);
  std::set<uint64_t> Sites;
  StringSet<> Functions;
  Out.Frees = Out.Functions = 0;
  for (const Module &M : In.Modules) {
    Out.Frees += M.Frees;
    for (const Site &S : M.Sites)
      Sites.insert(S.Id);
    for (const Function &F : M.Functions)
      if (F.Symbol != None && M.Symbols[F.Symbol].Link != Linkage::AvailableExternally)
        Out.Functions +=
            M.Symbols[F.Symbol].Link == Linkage::Internal || Functions.insert(M.str(M.Symbols[F.Symbol].Name)).second;
  }
  Out.Unreachable = Sites.size() - Out.Sites.size();
  return Out;
}

} // namespace freehold
