// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryIO.cpp - the text form of a Module.
//
//   fh-summary 2 NAME
//   strings N        then N times LENGTH:BYTES, one a line
//   values N         names, runs of equal ones as COUNT*NAME
//   symbols N        ... one record a line, numbers separated by blanks; '-' is None
//
// Every list is preceded by its length, so that a reader can reserve and a human can find his place. A number that is not there,
// an index out of range or trailing bytes make the whole text an error.
#include "summary/SummaryIO.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace freehold {
namespace {

constexpr StringLiteral Magic = "fh-summary 2";

class Writer {
public:
  explicit Writer(const Module &M) : M(M), OS(Text) {}

  std::string write() {
    OS << Magic;
    idx(M.Name);
    num(M.FirstGlobalConstraint);
    num(M.Frees);
    num(M.CodeUnknown);
    OS << "\nstrings " << M.Strings.size() << '\n';
    for (const std::string &S : M.Strings)
      OS << S.size() << ':' << S << '\n';
    values();
    list("symbols", M.Symbols, [&](const Symbol &S) { symbol(S); });
    list("objects", M.Objects, [&](const Object &O) { object(O); });
    list("constraints", M.Constraints, [&](const Constraint &C) { constraint(C); });
    list("functions", M.Functions, [&](const Function &F) { function(F); });
    list("calls", M.Calls, [&](const Call &C) { call(C); });
    list("sites", M.Sites, [&](const Site &S) { site(S); });
    list("notes", M.Notes, [&](const Note &N) { num(N.Code), idx(N.Text), loc(N.Loc); });
    return Text;
  }

private:
  const Module &M;
  std::string Text;
  raw_string_ostream OS;

  void num(uint64_t N) { OS << ' ' << N; }
  void snum(int64_t N) { OS << ' ' << N; }
  void idx(Index I) { I == None ? OS << " -" : OS << ' ' << I; }
  void loc(const SourceLoc &L) { idx(L.File), num(L.Line), num(L.Column); }
  template <typename T> void opt(const std::optional<T> &V) { V ? OS << ' ' << *V : OS << " -"; }

  template <typename T, typename F> void list(StringRef Name, const std::vector<T> &L, F One) {
    OS << Name << ' ' << L.size() << '\n';
    for (const T &E : L) {
      One(E);
      OS << '\n';
    }
  }
  void values() {
    OS << "values " << M.ValueNames.size() << '\n';
    for (size_t I = 0, E = M.ValueNames.size(); I < E;) {
      size_t J = I;
      while (J < E && M.ValueNames[J] == M.ValueNames[I])
        ++J;
      num(J - I), idx(M.ValueNames[I]);
      OS << '\n';
      I = J;
    }
  }
  void symbol(const Symbol &S) {
    idx(S.Name), num(unsigned(S.Link)), num(S.Hidden | S.Used << 1 | S.IFunc << 2);
    idx(S.Object), idx(S.Function), idx(S.Aliasee);
  }
  void object(const Object &O) {
    num(unsigned(O.Kind)), idx(O.Name), idx(O.Symbol), idx(O.Function), opt(O.Size), num(O.ThreadLocal | O.Constant << 1),
        loc(O.Loc);
  }
  void constraint(const Constraint &C) {
    num(unsigned(C.Kind)), num(C.Code), idx(C.Dst), idx(C.Src), snum(C.Disp.Offset), num(C.Disp.Stride), num(C.Disp.Length);
    num(C.Width), loc(C.Loc);
  }
  void function(const Function &F) {
    idx(F.Symbol), idx(F.SourceName), loc(F.Loc), idx(F.Result), idx(F.Varargs);
    num(F.FirstConstraint), num(F.LastConstraint), num(F.FirstCall), num(F.LastCall);
    num(F.Constructor | F.Destructor << 1), num(F.Tag), num(F.Params.size());
    for (Index P : F.Params)
      idx(P);
  }
  void call(const Call &C) {
    idx(C.Function), idx(C.Symbol), idx(C.Callee), idx(C.Result), idx(C.Site), num(C.NoBuiltin), loc(C.Loc), num(C.Args.size());
    for (const CallArg &A : C.Args)
      idx(A.Value), opt(A.Constant), idx(A.String), num(A.Distance);
  }
  void site(const Site &S) { num(S.Id), idx(S.Call), idx(S.Callee), opt(S.Size), idx(S.Function), num(S.Ordinal); }
};

class Reader {
public:
  explicit Reader(StringRef Text) : Rest(Text), Whole(Text) {}

  Expected<Module> read() {
    if (!Rest.consume_front(Magic))
      return fail("not a summary of this version");
    M.Name = rawIndex();
    M.FirstGlobalConstraint = number();
    M.Frees = number();
    M.CodeUnknown = number();
    strings();
    values();
    list("symbols", M.Symbols, [&](Symbol &S) { symbol(S); });
    list("objects", M.Objects, [&](Object &O) { object(O); });
    list("constraints", M.Constraints, [&](Constraint &C) { constraint(C); });
    list("functions", M.Functions, [&](Function &F) { function(F); });
    list("calls", M.Calls, [&](Call &C) { call(C); });
    list("sites", M.Sites, [&](Site &S) { site(S); });
    list("notes", M.Notes, [&](Note &N) { N.Code = number(), N.Text = rawIndex(), N.Loc = loc(); });
    if (!Bad && !Rest.trim().empty())
      bad("trailing bytes");
    if (!Bad)
      check();
    if (Bad)
      return fail(Problem);
    return std::move(M);
  }

private:
  StringRef Rest, Whole;
  Module M;
  bool Bad = false;
  std::string Problem;

  Error fail(const Twine &Why) {
    return createStringError(inconvertibleErrorCode(),
                             "damaged summary at byte " + Twine(Whole.size() - Rest.size()) + ": " + Why);
  }
  void bad(const Twine &Why) {
    if (!Bad)
      Problem = Why.str();
    Bad = true;
    Rest = Rest.take_back(0);
  }
  void blanks() { Rest = Rest.ltrim(" \n"); }
  template <typename T> T integer() {
    blanks();
    T N = 0;
    if (Rest.consumeInteger(10, N))
      bad("a number is missing");
    return N;
  }
  uint64_t number() { return integer<uint64_t>(); }
  bool dash() {
    blanks();
    StringRef Saved = Rest;
    if (Rest.consume_front("-") && (Rest.empty() || Rest.front() == ' ' || Rest.front() == '\n'))
      return true;
    Rest = Saved;
    return false;
  }
  Index rawIndex() { return dash() ? None : Index(std::min<uint64_t>(number(), None)); }
  template <typename T> std::optional<T> opt() {
    if (dash())
      return std::nullopt;
    return integer<T>();
  }
  SourceLoc loc() {
    SourceLoc L;
    L.File = rawIndex();
    L.Line = number();
    L.Column = number();
    return L;
  }
  size_t heading(StringRef Name) {
    blanks();
    if (!Rest.consume_front(Name)) {
      bad("expected '" + Name + "'");
      return 0;
    }
    uint64_t N = number();
    if (N > Whole.size()) {
      bad("impossible length of '" + Name + "'");
      return 0;
    }
    return N;
  }
  template <typename T, typename F> void list(StringRef Name, std::vector<T> &L, F One) {
    size_t N = heading(Name);
    L.resize(N);
    for (size_t I = 0; I < N && !Bad; ++I)
      One(L[I]);
  }
  void strings() {
    size_t N = heading("strings");
    for (size_t I = 0; I < N && !Bad; ++I) {
      uint64_t Length = number();
      if (Bad || !Rest.consume_front(":") || Length > Rest.size())
        return bad("string too long");
      M.Strings.push_back(Rest.take_front(Length).str());
      Rest = Rest.drop_front(Length);
    }
  }
  void values() {
    // runs: the count may exceed the text's length
    blanks();
    if (!Rest.consume_front("values"))
      return bad("expected 'values'");
    uint64_t N = number();
    if (N > (uint64_t(1) << 31))
      return bad("too many values");
    while (!Bad && M.ValueNames.size() < N) {
      uint64_t Run = number();
      Index Name = rawIndex();
      if (Run == 0 || Run > N - M.ValueNames.size())
        return bad("wrong run of values");
      M.ValueNames.insert(M.ValueNames.end(), Run, Name);
    }
  }
  void symbol(Symbol &S) {
    S.Name = rawIndex();
    uint64_t Link = number(), Flags = number();
    if (Link > unsigned(Linkage::Declared) || Flags > 7)
      return bad("unknown linkage");
    S.Link = Linkage(Link);
    S.Hidden = Flags & 1, S.Used = Flags & 2, S.IFunc = Flags & 4;
    S.Object = rawIndex(), S.Function = rawIndex(), S.Aliasee = rawIndex();
  }
  void object(Object &O) {
    uint64_t Kind = number();
    if (Kind > unsigned(ObjectKind::Stack))
      return bad("unknown kind of object");
    O.Kind = ObjectKind(Kind);
    O.Name = rawIndex(), O.Symbol = rawIndex(), O.Function = rawIndex(), O.Size = opt<uint64_t>();
    uint64_t Flags = number();
    O.ThreadLocal = Flags & 1, O.Constant = Flags & 2, O.Loc = loc();
  }
  void constraint(Constraint &C) {
    uint64_t Kind = number();
    if (Kind > unsigned(ConstraintKind::Difference))
      return bad("unknown kind of constraint");
    C.Kind = ConstraintKind(Kind);
    C.Code = number(), C.Dst = rawIndex(), C.Src = rawIndex();
    C.Disp.Offset = integer<int64_t>(), C.Disp.Stride = number(), C.Disp.Length = number();
    C.Width = number(), C.Loc = loc();
  }
  void function(Function &F) {
    F.Symbol = rawIndex(), F.SourceName = rawIndex(), F.Loc = loc(), F.Result = rawIndex(), F.Varargs = rawIndex();
    F.FirstConstraint = number(), F.LastConstraint = number(), F.FirstCall = number(), F.LastCall = number();
    uint64_t Flags = number();
    F.Constructor = Flags & 1, F.Destructor = Flags & 2;
    F.Tag = number();
    uint64_t N = number();
    for (uint64_t I = 0; I < N && !Bad; ++I)
      F.Params.push_back(rawIndex());
  }
  void call(Call &C) {
    C.Function = rawIndex(), C.Symbol = rawIndex(), C.Callee = rawIndex(), C.Result = rawIndex(), C.Site = rawIndex();
    C.NoBuiltin = number(), C.Loc = loc();
    uint64_t N = number();
    for (uint64_t I = 0; I < N && !Bad; ++I) {
      CallArg A;
      A.Value = rawIndex(), A.Constant = opt<int64_t>(), A.String = rawIndex(), A.Distance = number();
      C.Args.push_back(A);
    }
  }
  void site(Site &S) {
    S.Id = number(), S.Call = rawIndex(), S.Callee = rawIndex(), S.Size = opt<uint64_t>();
    S.Function = rawIndex(), S.Ordinal = number();
  }

  void within(Index I, size_t N, bool MayBeNone = true) {
    if (I == None ? !MayBeNone : I >= N)
      bad("index out of range");
  }
  void checkLoc(const SourceLoc &L) { within(L.File, M.Strings.size()); }
  void check() {
    size_t Strings = M.Strings.size(), Values = M.ValueNames.size(), Objects = M.Objects.size();
    within(M.Name, Strings);
    for (Index N : M.ValueNames)
      within(N, Strings);
    for (const Symbol &S : M.Symbols)
      within(S.Name, Strings, false), within(S.Object, Objects), within(S.Function, M.Functions.size()),
          within(S.Aliasee, M.Symbols.size());
    for (const Object &O : M.Objects)
      within(O.Name, Strings), within(O.Symbol, M.Symbols.size(), O.Kind == ObjectKind::Stack),
          within(O.Function, M.Functions.size()), checkLoc(O.Loc);
    for (const Constraint &C : M.Constraints)
      checkConstraint(C, Values, Objects);
    for (const Function &F : M.Functions)
      checkFunction(F, Values);
    for (const Call &C : M.Calls) {
      within(C.Function, M.Functions.size(), false), within(C.Symbol, M.Symbols.size(), C.Callee != None);
      within(C.Callee, Values), within(C.Result, Values), within(C.Site, M.Sites.size()), checkLoc(C.Loc);
      for (const CallArg &A : C.Args)
        within(A.Value, Values), within(A.String, Strings);
    }
    for (const Site &S : M.Sites)
      within(S.Call, M.Calls.size(), false), within(S.Callee, Strings, false), within(S.Function, M.Functions.size(), false);
    for (const Note &N : M.Notes)
      within(N.Text, Strings), checkLoc(N.Loc);
    if (M.FirstGlobalConstraint > M.Constraints.size())
      bad("index out of range");
  }
  void checkConstraint(const Constraint &C, size_t Values, size_t Objects) {
    bool NeedsDst = C.Kind != ConstraintKind::Escape && C.Kind != ConstraintKind::NarrowLoad;
    bool NeedsSrc = C.Kind != ConstraintKind::External && C.Kind != ConstraintKind::UntrackedStore;
    within(C.Dst, Values, !NeedsDst);
    within(C.Src, C.Kind == ConstraintKind::AddressOf ? Objects : Values, !NeedsSrc);
    checkLoc(C.Loc);
  }
  void checkFunction(const Function &F, size_t Values) {
    within(F.Symbol, M.Symbols.size(), false), within(F.SourceName, M.Strings.size()), checkLoc(F.Loc);
    within(F.Result, Values), within(F.Varargs, Values);
    for (Index P : F.Params)
      within(P, Values);
    if (F.FirstConstraint > F.LastConstraint || F.LastConstraint > M.Constraints.size() || F.FirstCall > F.LastCall ||
        F.LastCall > M.Calls.size())
      bad("index out of range");
  }
};

} // namespace

std::string writeSummary(const Module &M) { return Writer(M).write(); }

Expected<Module> readSummary(StringRef Text) { return Reader(Text).read(); }

} // namespace freehold
