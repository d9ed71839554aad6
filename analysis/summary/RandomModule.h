// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RandomModule.h - Modules that no program has, for tests: every field takes its usual values, its least, its greatest, and is left
// out. All indices are in range.
#pragma once

#include "summary/Summary.h"
#include <limits>
#include <random>

namespace freehold {

class RandomModule {
public:
  explicit RandomModule(uint64_t Seed) : Engine(Seed) {}

  /// Of most lists up to Size records.
  Module make(unsigned Size) {
    for (unsigned N = below(Size) + 1; N; --N)
      M.Strings.push_back(text());
    Strings = M.Strings.size();
    M.ValueNames.resize(below(20 * Size) + 1);
    M.Symbols.resize(below(Size) + 1), M.Objects.resize(below(Size) + 1), M.Constraints.resize(below(4 * Size));
    M.Functions.resize(below(Size) + 1), M.Calls.resize(below(Size)), M.Sites.resize(M.Calls.empty() ? 0 : below(Size));
    M.Notes.resize(below(Size));
    M.Name = index(Strings), M.FirstGlobalConstraint = below(M.Constraints.size() + 1), M.Frees = number();
    M.CodeUnknown = coin();
    for (Index &N : M.ValueNames)
      N = index(Strings, 20);
    for (Symbol &S : M.Symbols)
      S = {some(Strings),
           Linkage(below(7)),
           coin(),
           coin(),
           index(M.Objects.size()),
           index(M.Functions.size()),
           index(M.Symbols.size()),
           coin()};
    for (Object &O : M.Objects)
      object(O);
    for (Constraint &C : M.Constraints)
      constraint(C);
    for (Function &F : M.Functions)
      function(F);
    for (Call &C : M.Calls)
      call(C);
    for (Site &S : M.Sites)
      S = {number<uint64_t>(), some(M.Calls.size()), some(Strings), size(), some(M.Functions.size()), number()};
    for (Note &N : M.Notes)
      N = {number<ReasonCode>(), index(Strings), loc()};
    return std::move(M);
  }

private:
  std::mt19937_64 Engine; ///< the same numbers everywhere
  Module M;
  size_t Strings = 0;
  SourceLoc Last;

  uint64_t below(uint64_t N) { return N ? Engine() % N : 0; }
  bool coin() { return below(2); }
  Index some(size_t N) { return Index(below(N)); }
  Index index(size_t N, unsigned OneIn = 2) { return N && !below(OneIn) ? some(N) : None; }
  template <typename T = uint32_t> T number() {
    const T Most = std::numeric_limits<T>::max(), Least = std::numeric_limits<T>::min();
    switch (below(8)) {
    case 0:
      return Most;
    case 1:
      return Most - T(below(3));
    case 2:
      return Least;
    case 3:
      return T(Engine());
    default:
      return T(below(100));
    }
  }
  std::optional<uint64_t> size() { return coin() ? std::optional(number<uint64_t>()) : std::nullopt; }
  std::string text() {
    std::string S;
    for (unsigned N = below(below(10) ? 12 : 300); N; --N)
      S += char(coin() ? 'a' + below(26) : below(256));
    return S;
  }
  SourceLoc loc() {
    if (below(3)) // mostly as the one before
      Last = {index(Strings), coin() ? number() : Last.Line + uint32_t(below(9)), number()};
    return Last;
  }
  void object(Object &O) {
    O.Kind = ObjectKind(below(3));
    O.Name = index(Strings), O.Symbol = O.Kind == ObjectKind::Stack ? index(M.Symbols.size()) : some(M.Symbols.size());
    O.Function = index(M.Functions.size()), O.Size = size(), O.ThreadLocal = coin(), O.Constant = coin(), O.Loc = loc();
  }
  void constraint(Constraint &C) {
    size_t Values = M.ValueNames.size();
    C.Kind = ConstraintKind(below(unsigned(ConstraintKind::Difference) + 1));
    bool OnlySrc = C.Kind == ConstraintKind::Escape || C.Kind == ConstraintKind::NarrowLoad;
    bool OnlyDst = C.Kind == ConstraintKind::External || C.Kind == ConstraintKind::UntrackedStore;
    size_t Sources = C.Kind == ConstraintKind::AddressOf ? M.Objects.size() : Values;
    C.Code = coin() ? 0 : number<ReasonCode>();
    C.Dst = OnlySrc ? index(Values) : some(Values), C.Src = OnlyDst ? index(Sources) : some(Sources);
    C.Disp = {coin() ? 0 : number<int64_t>(), coin() ? 0 : number<uint64_t>(), coin() ? 0 : number<uint64_t>()};
    C.Width = coin() ? 8 : number<uint64_t>(), C.Loc = loc();
  }
  void function(Function &F) {
    size_t Values = M.ValueNames.size();
    F.Symbol = some(M.Symbols.size()), F.SourceName = index(Strings), F.Loc = loc();
    for (unsigned N = below(5); N; --N)
      F.Params.push_back(index(Values));
    F.Result = index(Values), F.Varargs = index(Values), F.Constructor = coin(), F.Destructor = coin(),
    F.Tag = number<uint64_t>();
    F.FirstConstraint = below(M.Constraints.size() + 1), F.FirstCall = below(M.Calls.size() + 1);
    F.LastConstraint = F.FirstConstraint + below(M.Constraints.size() + 1 - F.FirstConstraint);
    F.LastCall = F.FirstCall + below(M.Calls.size() + 1 - F.FirstCall);
  }
  void call(Call &C) {
    size_t Values = M.ValueNames.size();
    C.Function = some(M.Functions.size()), C.Callee = index(Values);
    C.Symbol = C.Callee == None ? some(M.Symbols.size()) : index(M.Symbols.size());
    C.Result = index(Values), C.Site = index(M.Sites.size()), C.NoBuiltin = coin(), C.Loc = loc();
    for (unsigned N = below(5); N; --N)
      C.Args.push_back({index(Values), coin() ? std::optional(number<int64_t>()) : std::nullopt, coin(), index(Strings)});
  }
};

} // namespace freehold
