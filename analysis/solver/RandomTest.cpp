// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RandomTest.cpp - small random Programs with all kinds of constraints, calls and models: both solvers must agree on each, in
// every order of work, with the bounds in reach and out of it.
// `RandomTest --iterations=N --seed=S` runs longer; a failure prints the seed that reproduces it.
#include "solver/Contexts.h"
#include "solver/OffsetSet.h"
#include "solver/ProgramBuilder.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace freehold;

namespace {

const char ModelText[] = R"yaml(
- {name: malloc, type: p(i), effects: [alloc r rewritable]}
- {name: strdup, type: p(p), effects: [reads a0, alloc r]}
- {name: realloc, type: p(pi), effects: [realloc r a0 rewritable]}
- {name: free, type: v(p), effects: [frees a0]}
- {name: spawn, type: i(fp), effects: [spawns a0(a1)]}
- {name: exit_thread, type: v(p), effects: [exits-thread a0]}
- {name: join, type: i(p), effects: ["joins *a0"]}
- {name: putenv, type: i(p), effects: [keeps a0]}
- {name: write, type: i(p), effects: [bytes-out a0]}
- {name: read, type: i(p), effects: [bytes-in a0]}
- {name: stat, type: i(p), effects: [writes a0]}
- {name: memcpy, type: p(ppi), effects: ["copies *a1 to *a0 size=a2", returns a0]}
- {name: strchr, type: p(p), effects: ["returns a0+?"]}
- {name: strtol, type: i(pp), effects: ["stores a0+? in *a1"]}
- {name: first, type: p(p), effects: ["returns *a0"]}
- {name: qsort, type: v(pf), effects: ["calls a1(a0+?, a0+?)", "copies *a0+? to *a0+?"]}
- {name: apply, type: v(fp), effects: ["calls a0(*a1, external, private)"]}
- {name: setspecific, type: i(p), effects: [key-set a0]}
- {name: getspecific, type: p(), effects: [key-get]}
- {name: key_create, type: i(f), effects: [key-dtor a0]}
- {name: errno_location, type: p(), effects: [returns private]}
- {name: getenv, type: p(), effects: [returns static]}
- {name: printf, type: i(p.), effects: [reads a0, format a0 args=1]}
- {name: sscanf, type: i(p.), effects: [scan a0 args=1]}
- {name: selfcall, type: v(fp), effects: ["calls a0(a0, a1)"]}
- {name: setlimit, type: n(ip), effects: [exposes a0, bytes-out a1 size=16]}
- {name: getlimit, type: i(p), effects: [bytes-in a0 size=16, returns external]}
- {name: unmarked, type: p(ppi.), effects: [returns a0, dies a2]}
- {name: length, type: i(p), effects: [reads a0, returns scalar]}
- {name: lock, type: n(p), effects: [fills a0]}
- {name: sprintf, type: n(pp.), effects: [format a1 args=2, writes a0]}
- {name: load_library, type: n(p.), effects: [bytes-out a0, enters-library, dies ...]}
)yaml";
const char *const ModelNames[] = {"malloc",      "malloc",         "strdup", "realloc", "free",   "spawn",       "spawn",
                                  "exit_thread", "join",           "putenv", "write",   "read",   "stat",        "memcpy",
                                  "strchr",      "strtol",         "first",  "qsort",   "apply",  "setspecific", "getspecific",
                                  "key_create",  "errno_location", "getenv", "printf",  "sscanf", "selfcall",    "unknown"};
const char *const CalmNames[] = {"malloc", "strdup", "realloc", "free",        "memcpy",
                                 "strchr", "first",  "qsort",   "setspecific", "getspecific"};
const char *const Formats[] = {"%d %s", "%p", "%-*.*S", "%n%s", "%*d%lx", "%1$d", "%ms"};

class Generator {
public:
  /// Calm programs have few sources of externality, so that sets grow.
  explicit Generator(uint64_t Seed) : State(Seed * 0x9E3779B97F4A7C15ULL + 1), Calm(Seed % 4 == 0) {}
  Program make();

private:
  uint64_t State;
  bool Calm;
  ProgramBuilder B;
  std::vector<Index> Symbols;
  unsigned Values = 0;

  uint64_t next(uint64_t N) {
    State ^= State << 13;
    State ^= State >> 7;
    State ^= State << 17;
    return (State >> 11) % N;
  }
  template <class T, size_t N> const T &pick(const T (&From)[N]) { return From[next(N)]; }
  Index value() { return Index(next(Values)); }
  Displacement displacement() {
    static const int64_t Offsets[] = {0, 0, 4, 8, 8, 16, -8, 24, 100};
    static const uint64_t Strides[] = {0, 0, 0, 1, 8, 12, 24};
    static const uint64_t Lengths[] = {0, 0, 16, 48};
    Displacement D{pick(Offsets), pick(Strides), 0};
    if (D.Stride)
      D.Length = pick(Lengths);
    return D;
  }
  void constraint(Index F);
  void call(Index F);
};

void Generator::constraint(Index F) {
  static const ConstraintKind Kinds[] = {ConstraintKind::AddressOf,  ConstraintKind::AddressOf,      ConstraintKind::AddressOf,
                                         ConstraintKind::Copy,       ConstraintKind::Copy,           ConstraintKind::Displace,
                                         ConstraintKind::Displace,   ConstraintKind::Load,           ConstraintKind::Load,
                                         ConstraintKind::Store,      ConstraintKind::Store,          ConstraintKind::CopyMemory,
                                         ConstraintKind::NarrowLoad, ConstraintKind::UntrackedStore, ConstraintKind::Indexed,
                                         ConstraintKind::Difference, ConstraintKind::External,       ConstraintKind::Escape};
  static const uint64_t WordWidths[] = {8, 8, 8, 8, 16, 0};
  static const uint64_t CopyWidths[] = {0, 8, 12, 16, 24, 48, 3};
  ConstraintKind K = pick(Kinds);
  bool Opens = K == ConstraintKind::External || K == ConstraintKind::Escape || K == ConstraintKind::NarrowLoad;
  if (Opens && (Calm || (K != ConstraintKind::NarrowLoad && next(4))))
    K = ConstraintKind::Copy;
  Constraint &C = B.add(F, K, value(), K == ConstraintKind::AddressOf ? Index(next(B.P.Objects.size())) : value());
  C.Disp = displacement();
  C.Width = K == ConstraintKind::CopyMemory                  ? pick(CopyWidths)
            : K == ConstraintKind::NarrowLoad                ? 1 + next(7)
            : K == ConstraintKind::UntrackedStore && next(2) ? next(40)
                                                             : pick(WordWidths);
  if (K == ConstraintKind::Escape)
    C.Code = 203;
  if (K == ConstraintKind::UntrackedStore)
    C.Code = next(3) == 0;
}

void Generator::call(Index F) {
  std::vector<Index> Args;
  for (uint64_t I = 0, N = next(4); I < N; ++I)
    Args.push_back(next(8) ? value() : None);
  Index Result = next(4) ? value() : None;
  bool Direct = next(3);
  Call &C = B.call(F, Direct ? Symbols[next(Symbols.size())] : None, Args, Result, Direct ? None : value());
  for (CallArg &A : C.Args) {
    if (next(3) == 0)
      A.Constant = int64_t(next(40));
    if (next(3) == 0)
      A.String = B.string(pick(Formats));
    A.Distance = next(5) == 0;
  }
  C.NoBuiltin = next(20) == 0;
}

Program Generator::make() {
  unsigned NumFunctions = 1 + next(5);
  std::vector<Index> Functions;
  for (unsigned I = 0; I < NumFunctions; ++I) {
    Linkage Link = I == 0 || next(2) ? Linkage::External : Linkage::Internal;
    Functions.push_back(B.function(I == 0 ? "main" : "f" + std::to_string(I), next(4), next(2), Link));
    Symbols.push_back(B.P.Functions.back().Symbol);
    if (next(3) == 0)
      B.P.Functions.back().Varargs = B.value();
    if (!B.P.Functions.back().Params.empty() && next(6) == 0)
      B.P.Functions.back().Params[0] = None;
  }
  for (unsigned I = 0, N = 2 + next(4); I < N; ++I)
    Symbols.push_back(B.external(Calm ? pick(CalmNames) : pick(ModelNames)));
  for (unsigned I = 0, N = 1 + next(Calm ? 12 : 4); I < N; ++I)
    B.variable("v" + std::to_string(I), Calm || next(8) ? Linkage::Internal : Linkage::Declared);
  B.P.Objects.back().Constant = next(4) == 0;
  for (unsigned I = 0, N = 1 + next(4); I < N; ++I)
    B.stack(Functions[next(Functions.size())]);
  Values = 3 + next(10);
  for (unsigned I = 0; I < Values; ++I)
    B.value();
  Values = B.P.ValueNames.size();
  for (Index F : Functions) {
    for (uint64_t I = 0, N = 2 + next(14); I < N; ++I)
      constraint(F);
    for (uint64_t I = 0, N = 1 + next(4); I < N; ++I)
      call(F);
  }
  for (uint64_t I = 0, N = next(3); I < N; ++I)
    constraint(None);
  if (next(6) == 0)
    B.show(Symbols[next(Symbols.size())]);
  return B.finish();
}

/// Nothing was decided that depends on the order of work.
bool isByItself(const Solution &S) {
  for (const Decision &D : S.Log)
    if (!D.inRounds())
      return false;
  return true;
}

/// What Fine knows, Coarse knows or implies. Empty, or the first value of which that is not so.
std::string contains(const Solution &Coarse, const Solution &Fine) {
  for (Index V = 0; V < Fine.numValues(); ++V) {
    bool Kept = Coarse.isExternal(V) || !Fine.isExternal(V);
    for (const Target &T : Fine.pointsTo(V).known())
      Kept &= Coarse.pointsTo(V).contains(T.Object);
    if (!Kept)
      return "value " + std::to_string(V) + " points to more than unification says";
  }
  for (Index O = 0; O < Fine.Objects.size(); ++O)
    if (Fine.Objects[O].Escaped && !Coarse.Objects[O].Escaped)
      return "object " + std::to_string(O) + " escapes, which unification does not say";
  return "";
}

} // namespace

int main(int argc, char **argv) {
  uint64_t Iterations = 2500, Seed = 1;
  for (int I = 1; I < argc; ++I) {
    if (strncmp(argv[I], "--iterations=", 13) == 0)
      Iterations = strtoull(argv[I] + 13, nullptr, 10);
    else if (strncmp(argv[I], "--seed=", 7) == 0)
      Seed = strtoull(argv[I] + 7, nullptr, 10);
    else
      return fprintf(stderr, "usage: RandomTest [--iterations=N] [--seed=S]\n"), 2;
  }
  Models M;
  if (llvm::Error E = M.add(ModelText, "models"))
    return fprintf(stderr, "%s\n", llvm::toString(std::move(E)).c_str()), 1;
  uint64_t Pointees = 0, Escaped = 0, Heap = 0, Rounds = 0, Collapsed = 0, Widened = 0, Saturated = 0, Copies = 0, Unified = 0,
           Unfinished = 0;
  for (uint64_t I = 0; I < Iterations; ++I, ++Seed) {
    Program P = Generator(Seed).make();
    SolverOptions O;
    O.FieldSensitive = Seed % 7 != 0;
    if (Seed % 3 == 0) { // the bounds, one, two or all of them
      O.FieldCap = Seed % 2 ? 4 : 1024;
      O.AccessLimit = Seed % 5 ? 1 + Seed % 4 : 128;
      O.SetLimit = Seed % 4 ? 1 + Seed % 3 : 100;
    }
    O.Stress = Seed % 11 == 0;
    O.WorkLimit = 1000000; // a few dense ones take for ever: they are counted
    std::string Error;
    Solution S = solveChecked(P, M, O, Error);
    if (!Error.empty())
      return fprintf(stderr, "--seed=%llu: %s\n", (unsigned long long)Seed, Error.c_str()), 1;
    if (!S.Finished) {
      ++Unfinished;
      continue;
    }
    SolverOptions Other = O;
    Other.Queue = SolverOptions::Order::LIFO;
    Solution Again = solveChecked(P, M, Other, Error);
    if (Error.empty() && Again.Finished && isByItself(S) && isByItself(Again))
      Error = compareSolutions(P, S, Again);
    if (!Error.empty())
      return fprintf(stderr, "--seed=%llu, last in first out: %s\n", (unsigned long long)Seed, Error.c_str()), 1;
    if (S.Log.empty()) { // a decision of one need not be one of the other
      SolverOptions Unify;
      Unify.Unify = true;
      Unify.Stress = O.Stress;
      Solution Coarse = solve(P, M, Unify);
      if (Coarse.Objects.size() == S.Objects.size())
        Error = contains(Coarse, S), ++Unified;
      if (!Error.empty())
        return fprintf(stderr, "--seed=%llu, unified: %s\n", (unsigned long long)Seed, Error.c_str()), 1;
    }
    Widened += S.Stats.Widened;
    Saturated += S.Stats.Saturated;
    for (Index V = 0; V < S.numValues(); ++V)
      Pointees += S.pointsTo(V).known().size();
    for (const AbstractObject &A : S.Objects) {
      Escaped += A.Escaped;
      Heap += A.K == AbstractObject::Heap;
    }
    ContextOptions Contexts;
    Contexts.Depth = 1 + Seed % 3;
    if (unsigned Made = addContexts(P, S, Contexts)) {
      Copies += Made;
      Unfinished += !solveChecked(P, M, O, Error).Finished;
      if (!Error.empty())
        return fprintf(stderr, "--seed=%llu, in contexts: %s\n", (unsigned long long)Seed, Error.c_str()), 1;
    }
    Rounds += S.Stats.Rounds;
    Collapsed += S.Stats.Collapsed;
  }
  printf("%llu programs agree: %llu pointees, %llu escaped objects, %llu heap objects, %llu rounds, %llu collapsed and "
         "%llu widened objects, %llu saturated sets, %llu copies of wrappers, %llu unified, %llu not finished\n",
         (unsigned long long)Iterations, (unsigned long long)Pointees, (unsigned long long)Escaped, (unsigned long long)Heap,
         (unsigned long long)Rounds, (unsigned long long)Collapsed, (unsigned long long)Widened, (unsigned long long)Saturated,
         (unsigned long long)Copies, (unsigned long long)Unified, (unsigned long long)Unfinished);
  bool Vacuous = Pointees == 0 || Escaped == 0 || Heap == 0 || Rounds <= Iterations || Collapsed == 0 || Widened == 0 ||
                 Saturated == 0 || Copies == 0 || Unified == 0 || Unfinished > Iterations / 100;
  return Vacuous && Iterations >= 1000;
}
