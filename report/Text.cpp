// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text.cpp - the report for people, in the manner of compiler diagnostics: the summary, one line `FILE:LINE:COL: verdict ...` a
// site, for the first sites that are not local also the source line and the witness, then what the verdicts rest on, then the
// next command. Without colour the text is the same to the byte wherever it is printed.

#include "Reasons.h"
#include "Report.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace freehold {
namespace {

/// So many sites are shown with source and witness; all have their line.
constexpr unsigned DetailedSites = 20;

class Printer {
public:
  Printer(const Report &R, raw_ostream &OS, bool Colour) : R(R), OS(OS), Colour(Colour) {}
  void run();

private:
  const Report &R;
  raw_ostream &OS;
  bool Colour;
  StringMap<std::unique_ptr<MemoryBuffer>> Sources; ///< null: cannot be read
  StringSet<> Codes;                                ///< that were printed

  void summary();
  void site(const SiteReport &S, bool Detailed);
  void excerpt(const SiteReport &S);
  void steps(const SiteReport &S);
  void assumptions();
  void closing();
  StringRef sourceLine(StringRef File, unsigned Line);
  void paint(raw_ostream::Colors C, StringRef Text);
};

} // namespace

static std::string plural(size_t N, StringRef Word) { return (Twine(N) + " " + Word + (N == 1 ? "" : "s")).str(); }

static std::string place(StringRef File, unsigned Line, unsigned Column) {
  std::string S = File.empty() ? "<unknown>" : File.str();
  if (Line) {
    S += ":" + std::to_string(Line);
    if (Column)
      S += ":" + std::to_string(Column);
  }
  return S;
}

static std::string call(const SiteReport &S) {
  // operator new(unsigned long) is told as operator new(SIZE).
  std::string Callee = demangle(S.Callee);
  return StringRef(Callee).split('(').first.str() + "(" + (S.Size ? std::to_string(*S.Size) : "") + ") in " + S.Function;
}

void Printer::paint(raw_ostream::Colors C, StringRef Text) {
  if (Colour)
    OS.changeColor(C, /*Bold=*/true);
  OS << Text;
  if (Colour)
    OS.resetColor();
}

void Printer::run() {
  summary();
  if (R.Aside)
    OS << "freehold stood aside: " << *R.Aside << '\n';
  if (!R.Degraded.empty())
    OS << "degraded: points-to is " << R.Degraded << '\n';
  unsigned Detailed = 0, Open = 0;
  if (!R.Sites.empty())
    OS << '\n';
  for (const SiteReport &S : R.Sites) {
    bool Local = S.V == Verdict::Local;
    Open += !Local;
    site(S, !Local && Detailed < DetailedSites);
    Detailed += !Local && Detailed < DetailedSites;
  }
  if (Open > Detailed)
    OS << "... and " << Open - Detailed << " more without source and path; freehold explain shows each\n";
  for (const SiteReport &S : R.Sites)
    if (!S.Line) {
      OS << "note: sites without a line come from code compiled without -g; freehold-cc makes line tables for itself\n";
      break;
    }
  assumptions();
  closing();
}

void Printer::summary() {
  OS << (R.ProgramName.empty() ? "program" : R.ProgramName) << ": " << plural(R.Sites.size(), "allocation site") << " in "
     << plural(R.Functions, "function") << ": " << R.count(Verdict::Local) << " local, " << R.count(Verdict::Shared)
     << " shared, " << R.count(Verdict::Unknown) << " unknown; " << R.rewritten() << " rewritten";
  if (R.Unreachable)
    OS << "; " << R.Unreachable << " in functions that nothing reaches";
  if (R.Timings)
    OS << format("  (read %.2f s, solve %.2f s, verdicts %.2f s, %u MB)", R.Timings->Read, R.Timings->Solve, R.Timings->Verdicts,
                 R.Timings->PeakRSSMB);
  OS << '\n';
}

void Printer::site(const SiteReport &S, bool Detailed) {
  OS << place(S.File, S.Line, S.Column) << ": ";
  if (S.V == Verdict::Local) {
    paint(raw_ostream::GREEN, "local");
    OS << " [" << S.Rule << "] " << call(S);
    if (S.Rewritten)
      OS << ", rewritten";
    else if (!S.NotRewritten.empty())
      OS << ", not rewritten: " << S.NotRewritten;
    OS << '\n';
    return;
  }
  paint(S.V == Verdict::Shared ? raw_ostream::YELLOW : raw_ostream::MAGENTA, S.V == Verdict::Shared ? "shared" : "unknown");
  OS << ": ";
  if (S.Why) {
    OS << S.Why->Text << " [" << S.Why->Code << "] ";
    Codes.insert(S.Why->Code);
  }
  OS << call(S) << '\n';
  if (Detailed) {
    excerpt(S);
    steps(S);
  }
}

StringRef Printer::sourceLine(StringRef File, unsigned Line) {
  if (File.empty() || !Line)
    return "";
  auto [It, New] = Sources.try_emplace(File);
  if (New) {
    SmallString<256> Path(File);
    if (!R.Base.empty() && sys::path::is_relative(Path)) {
      Path = R.Base;
      sys::path::append(Path, File);
    }
    if (auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false))
      It->second = std::move(*Buffer);
  }
  if (!It->second)
    return "";
  StringRef Rest = It->second->getBuffer();
  for (unsigned N = 1; N < Line && !Rest.empty(); ++N)
    Rest = Rest.split('\n').second;
  return Rest.split('\n').first.rtrim("\r");
}

void Printer::excerpt(const SiteReport &S) {
  StringRef Line = sourceLine(S.File, S.Line);
  if (Line.empty() || Line.size() > 400)
    return;
  std::string Number = std::to_string(S.Line);
  OS << "  " << Number << " | " << Line << '\n';
  if (!S.Column || S.Column > Line.size())
    return;
  OS << "  " << std::string(Number.size(), ' ') << " | ";
  for (char C : Line.take_front(S.Column - 1))
    OS << (C == '\t' ? '\t' : ' ');
  size_t Width = 1;
  StringRef From = Line.drop_front(S.Column - 1);
  while (Width < From.size() && (isAlnum(From[Width]) || From[Width] == '_'))
    ++Width;
  paint(raw_ostream::CYAN, std::string(1, '^') + std::string(Width - 1, '~'));
  OS << '\n';
}

void Printer::steps(const SiteReport &S) {
  for (const Frame &F : S.Context)
    OS << "  " << place(F.File, F.Line, F.Column) << ": called in " << F.Function << '\n';
  if (!S.Why)
    return;
  for (const Step &St : S.Why->Path)
    OS << "  " << place(St.File, St.Line, St.Column) << ": " << St.What << '\n';
}

void Printer::assumptions() {
  if (R.Assumptions.empty())
    return;
  OS << "\nassumptions:\n";
  for (const Assumption &A : R.Assumptions) {
    OS << "  [" << A.Code << "] " << A.Text << ": " << A.Count;
    Codes.insert(A.Code);
    for (size_t I = 0; I < A.Where.size() && I < 3; ++I)
      OS << (I ? ", " : " at ") << A.Where[I];
    if (A.Where.size() > 3)
      OS << ", ...";
    OS << '\n';
  }
}

void Printer::closing() {
  OS << '\n';
  if (!Codes.empty()) {
    std::vector<std::string> Names;
    for (const auto &Entry : Codes)
      Names.push_back(Entry.getKey().str());
    llvm::sort(Names);
    OS << "codes: freehold explain " << join(Names, " ") << '\n';
  }
  for (const SiteReport &S : R.Sites)
    if (S.V != Verdict::Local && S.Line) {
      OS << "next: " << (R.Again.empty() ? "link with --freehold-report=REPORT.json too, then: " : "") << "freehold explain ";
      sys::printArg(OS, place(S.File, S.Line, 0), /*Quote=*/false);
      OS << (R.Again.empty() ? " REPORT.json" : R.Again) << '\n';
      return;
    }
  bool Linked = R.Linked || llvm::any_of(R.Sites, [](const SiteReport &S) { return !S.NotRewritten.empty(); });
  if (R.Sites.empty() && Linked)
    OS << "next: nothing; no code that freehold-cc compiled calls an allocation function\n";
  else if (R.rewritten() == 0 && Linked)
    OS << "next: nothing; each local site says why it was not rewritten\n";
  else if (R.Sites.empty())
    OS << "next: give freehold analyze the objects or sources that allocate; freehold help analyze tells how\n";
  else if (R.rewritten() == 0)
    OS << "next: link with freehold-cc to have the local sites rewritten\n";
  else
    OS << "next: link with freehold-cc --freehold-check and run the tests, to see every access checked\n";
}

void printText(const Report &R, raw_ostream &OS, bool Colour) {
  // raw_ostream prints colours only where its own switch is on.
  if (Colour)
    OS.enable_colors(true);
  Printer(R, OS, Colour).run();
}

} // namespace freehold
