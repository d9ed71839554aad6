// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryDump.cpp - a Module for people: one line a record. v7 is value 7, o3 object 3; a function's constraints stand below it.
#include "summary/SummaryIO.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace freehold {
namespace {

constexpr const char *Kinds[] = {"address-of",      "copy",        "displace", "load",   "store",   "narrow-load",
                                 "untracked-store", "copy-memory", "external", "escape", "indexed", "difference"};
constexpr const char *ObjectKinds[] = {"variable", "function", "stack"};
constexpr const char *Linkages[] = {"internal", "external", "weak", "odr", "available-externally", "common", "declared"};

class Dumper {
public:
  Dumper(const Module &M, raw_ostream &OS) : M(M), OS(OS) {}
  void run();

private:
  const Module &M;
  raw_ostream &OS;

  void string(Index I) { I == None ? OS << '-' : OS << '"', printEscapedString(M.str(I), OS), I == None ? OS : OS << '"'; }
  void named(const char *Word, Index I) {
    if (I != None)
      OS << ' ' << Word << ' ', string(I);
  }
  void numbered(const char *Word, Index I) {
    if (I != None)
      OS << ' ' << Word << ' ' << I;
  }
  void word(const char *Word, bool On) {
    if (On)
      OS << ' ' << Word;
  }
  template <typename T> void present(const char *Word, const std::optional<T> &N) {
    if (N)
      OS << ' ' << Word << ' ' << *N;
  }
  void nonZero(const char *Word, int64_t N) {
    if (N)
      OS << ' ' << Word << ' ' << N;
  }
  void value(Index I) {
    if (I == None) {
      OS << '-';
      return;
    }
    OS << 'v' << I;
    if (M.ValueNames[I] != None)
      OS << '(', printEscapedString(M.str(M.ValueNames[I]), OS), OS << ')';
  }
  void value(const char *Word, Index I) {
    if (I != None)
      OS << ' ' << Word << ' ', value(I);
  }
  void loc(const SourceLoc &L) {
    if (L.File != None || L.Line || L.Column)
      OS << " at ", string(L.File), OS << ':' << L.Line << ':' << L.Column;
    OS << '\n';
  }
  void symbol(size_t I);
  void object(size_t I);
  void constraints(size_t First, size_t Last);
  void function(size_t I);
  void call(const Call &C);
};

void Dumper::symbol(size_t I) {
  const Symbol &S = M.Symbols[I];
  OS << "symbol " << I << ' ';
  string(S.Name);
  OS << ' ' << Linkages[unsigned(S.Link)];
  word("hidden", S.Hidden), word("used", S.Used), word("ifunc", S.IFunc);
  numbered("object", S.Object), numbered("function", S.Function), numbered("aliasee", S.Aliasee);
  OS << '\n';
}

void Dumper::object(size_t I) {
  const Object &O = M.Objects[I];
  OS << "object o" << I << ' ' << ObjectKinds[unsigned(O.Kind)];
  named("name", O.Name), numbered("symbol", O.Symbol), numbered("function", O.Function), present("size", O.Size);
  word("thread-local", O.ThreadLocal), word("constant", O.Constant);
  loc(O.Loc);
}

void Dumper::constraints(size_t First, size_t Last) {
  for (size_t I = First; I < Last; ++I) {
    const Constraint &C = M.Constraints[I];
    OS << "  " << Kinds[unsigned(C.Kind)] << ' ';
    value(C.Dst);
    OS << " <- ";
    if (C.Kind == ConstraintKind::AddressOf)
      OS << 'o' << C.Src;
    else
      value(C.Src);
    nonZero("offset", C.Disp.Offset), nonZero("stride", C.Disp.Stride), nonZero("length", C.Disp.Length);
    nonZero("width", C.Width), nonZero("code", C.Code);
    loc(C.Loc);
  }
}

void Dumper::call(const Call &C) {
  OS << "  call";
  named("symbol", C.Symbol == None ? None : M.Symbols[C.Symbol].Name), value("callee", C.Callee), value("result", C.Result);
  numbered("site", C.Site), word("no-builtin", C.NoBuiltin);
  for (const CallArg &A : C.Args) {
    OS << ", ";
    value(A.Value);
    present("constant", A.Constant), named("string", A.String), word("distance", A.Distance);
  }
  loc(C.Loc);
}

void Dumper::function(size_t I) {
  const Function &F = M.Functions[I];
  OS << "function " << I << ' ';
  string(M.Symbols[F.Symbol].Name);
  named("source", F.SourceName), value("result", F.Result), value("varargs", F.Varargs);
  word("constructor", F.Constructor), word("destructor", F.Destructor);
  if (F.Tag)
    OS << " tag " << format_hex_no_prefix(F.Tag, 16);
  OS << " parameters";
  for (Index P : F.Params)
    OS << ' ', value(P);
  loc(F.Loc);
  constraints(F.FirstConstraint, F.LastConstraint);
  for (size_t C = F.FirstCall; C < F.LastCall; ++C)
    call(M.Calls[C]);
}

void Dumper::run() {
  OS << "summary of ";
  string(M.Name);
  OS << ": format " << SummaryVersion << ", " << writeSummary(M).size() << " bytes, " << M.Strings.size() << " strings, "
     << M.ValueNames.size() << " values, " << M.Constraints.size() << " constraints, " << M.Calls.size() << " calls, " << M.Frees
     << " frees" << (M.CodeUnknown ? ", code unknown" : "") << '\n';
  for (size_t I = 0; I < M.Symbols.size(); ++I)
    symbol(I);
  for (size_t I = 0; I < M.Objects.size(); ++I)
    object(I);
  for (size_t I = 0; I < M.Functions.size(); ++I)
    function(I);
  OS << "initialisers\n";
  constraints(M.FirstGlobalConstraint, M.Constraints.size());
  for (size_t I = 0; I < M.Sites.size(); ++I) {
    const Site &S = M.Sites[I];
    OS << "site " << I << " id " << format_hex_no_prefix(S.Id, 16) << " call " << S.Call;
    named("callee", S.Callee), present("size", S.Size), numbered("function", S.Function), numbered("ordinal", S.Ordinal);
    OS << '\n';
  }
  for (const Note &N : M.Notes) {
    OS << "note FH" << N.Code;
    named("text", N.Text);
    loc(N.Loc);
  }
}

} // namespace

void dumpSummary(const Module &M, raw_ostream &OS) { Dumper(M, OS).run(); }

} // namespace freehold
