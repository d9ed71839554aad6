// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryLayout.h - which fields of a Module are written, in what order and how. One description for both directions: SummaryIO.cpp's
// Encoder and Decoder are led through it, so that neither can know a field of which the other does not. Private to analysis/summary.
//
// Numbers are LEB128. A record begins with a number of flags, which say what fields are there at all: a field that mostly has one
// value costs nothing then. Indices and lines are differences from those just before, since builders hand out both in order.
// Whoever adds a field changes SummaryVersion.
//
// A Coder has
//   bits(B, N)         flags, N of them: gives back B, or what was read
//   set(Field, V)      a field that follows from the flags
//   number(Field)      unsigned; also a present optional
//   offset(Field)      signed
//   fixed(Field)       8 bytes: for hashes, which are never small
//   near(Index, Base)  an index, or None, by its difference from Base
//   kind(Field, V, Max) an enumeration whose value stands in the flags
//   text(String)
//   list(Vector, F)    its length, and F on each element
//   runs(Vector)       value names: equal ones together
#pragma once

#include "summary/Summary.h"

namespace freehold {

/// A difference as a small number, whatever its sign.
inline uint32_t zigzag(uint32_t Difference) { return Difference << 1 ^ (Difference >> 31 ? ~0u : 0u); }
inline uint32_t unzigzag(uint32_t N) { return N >> 1 ^ (N & 1 ? ~0u : 0u); }

/// The width that a constraint of a kind mostly has.
inline uint64_t usualWidth(ConstraintKind K) {
  if (K == ConstraintKind::Load || K == ConstraintKind::Store)
    return 8;
  return K == ConstraintKind::NarrowLoad || K == ConstraintKind::UntrackedStore ? 4 : 0;
}

/// R stands for a record: const when writing.
template <typename Coder> class SummaryLayout {
public:
  explicit SummaryLayout(Coder &X) : X(X) {}

  template <typename R> void module(R &M) {
    X.list(M.Strings, [&](auto &S) { X.text(S); });
    X.near(M.Name, 0);
    X.number(M.FirstGlobalConstraint), X.number(M.Frees);
    X.set(M.CodeUnknown, X.bits(M.CodeUnknown, 1) != 0);
    X.runs(M.ValueNames);
    list(M.Symbols, [&](auto &S) { symbol(S); });
    list(M.Objects, [&](auto &O) { object(O); });
    list(M.Constraints, [&](auto &C) { constraint(C); });
    list(M.Functions, [&](auto &F) { function(F); });
    list(M.Calls, [&](auto &C) { call(C); });
    list(M.Sites, [&](auto &S) { site(S); });
    list(M.Notes, [&](auto &N) { note(N); });
  }

private:
  Coder &X;
  /// What the record before had; each list begins anew.
  struct Before {
    SourceLoc Loc;
    Index String = 0, Symbol = 0, Object = 0, Function = 0, Value = 0, Constraint = 0, Call = 0;
  } Last;

  static uint64_t flag(unsigned Bit, bool On) { return uint64_t(On) << Bit; }
  static bool has(uint64_t Flags, unsigned Bit) { return Flags >> Bit & 1; }

  template <typename L, typename F> void list(L &Records, F One) {
    Last = {};
    X.list(Records, One);
  }
  /// An index near the last one of its kind, which it becomes.
  template <typename I> void follow(I &At, Index &Base) {
    X.near(At, Base);
    if (At != None)
      Base = At;
  }
  /// The same where indices are handed out one by one.
  template <typename I> void next(I &At, Index &Base) {
    X.near(At, Base);
    if (At != None)
      Base = At + 1;
  }
  bool moved(const SourceLoc &L) const {
    return L.Line != Last.Loc.Line || L.Column != Last.Loc.Column || L.File != Last.Loc.File;
  }
  template <typename L> void loc(L &At, bool Moved) {
    if (Moved) {
      uint64_t Head = X.bits(uint64_t(zigzag(At.Line - Last.Loc.Line)) << 1 | flag(0, At.File != Last.Loc.File), 33);
      X.set(At.Line, Last.Loc.Line + unzigzag(uint32_t(Head >> 1)));
      if (has(Head, 0))
        X.near(At.File, 0);
      else
        X.set(At.File, Last.Loc.File);
      X.number(At.Column);
    } else {
      X.set(At, Last.Loc);
    }
    Last.Loc = At;
  }

  template <typename R> void symbol(R &S) {
    uint64_t Flags = X.bits(unsigned(S.Link) | flag(3, S.Object != None) | flag(4, S.Function != None) | flag(5, S.Hidden) |
                                flag(6, S.Used) | flag(7, S.Aliasee != None) | flag(8, S.IFunc),
                            9);
    X.kind(S.Link, Flags & 7, Linkage::Declared);
    X.set(S.Hidden, has(Flags, 5)), X.set(S.Used, has(Flags, 6)), X.set(S.IFunc, has(Flags, 8));
    next(S.Name, Last.String);
    if (has(Flags, 3))
      next(S.Object, Last.Object);
    if (has(Flags, 4))
      next(S.Function, Last.Function);
    if (has(Flags, 7))
      X.near(S.Aliasee, 0);
  }

  template <typename R> void object(R &O) {
    uint64_t Flags =
        X.bits(unsigned(O.Kind) | flag(2, moved(O.Loc)) | flag(3, O.Size.has_value()) | flag(4, O.Name != None) |
                   flag(5, O.Symbol != None) | flag(6, O.Function != None) | flag(7, O.ThreadLocal) | flag(8, O.Constant),
               9);
    X.kind(O.Kind, Flags & 3, ObjectKind::Stack);
    X.set(O.ThreadLocal, has(Flags, 7)), X.set(O.Constant, has(Flags, 8));
    if (has(Flags, 4))
      next(O.Name, Last.String);
    if (has(Flags, 5))
      next(O.Symbol, Last.Symbol);
    if (has(Flags, 6))
      follow(O.Function, Last.Function);
    if (has(Flags, 3))
      X.number(O.Size);
    loc(O.Loc, has(Flags, 2));
  }

  template <typename R> void constraint(R &C) {
    uint64_t Flags =
        X.bits(unsigned(C.Kind) | flag(4, moved(C.Loc)) | flag(5, C.Disp.Offset != 0) | flag(6, C.Width != usualWidth(C.Kind)) |
                   flag(7, C.Code != 0) | flag(8, C.Disp.Stride != 0) | flag(9, C.Disp.Length != 0),
               10);
    X.kind(C.Kind, Flags & 15, ConstraintKind::Difference);
    follow(C.Dst, Last.Value);
    if (C.Kind == ConstraintKind::AddressOf)
      follow(C.Src, Last.Object);
    else
      X.near(C.Src, Last.Value);
    if (has(Flags, 5))
      X.offset(C.Disp.Offset);
    if (has(Flags, 6))
      X.number(C.Width);
    else
      X.set(C.Width, usualWidth(C.Kind));
    if (has(Flags, 7))
      X.number(C.Code);
    if (has(Flags, 8))
      X.number(C.Disp.Stride);
    if (has(Flags, 9))
      X.number(C.Disp.Length);
    loc(C.Loc, has(Flags, 4));
  }

  /// First and one behind the last; mostly they follow on those of the record before.
  template <typename I> void range(I &From, I &To, Index &Base) {
    follow(From, Base);
    X.near(To, Base);
    Base = To;
  }
  template <typename R> void function(R &F) {
    uint64_t Flags = X.bits(flag(0, moved(F.Loc)) | flag(1, F.Result != None) | flag(2, F.Tag != 0) | flag(3, F.Varargs != None) |
                                flag(4, F.Constructor) | flag(5, F.Destructor),
                            6);
    X.set(F.Constructor, has(Flags, 4)), X.set(F.Destructor, has(Flags, 5));
    next(F.Symbol, Last.Symbol), next(F.SourceName, Last.String);
    loc(F.Loc, has(Flags, 0));
    X.list(F.Params, [&](auto &P) { follow(P, Last.Value); });
    if (has(Flags, 1))
      follow(F.Result, Last.Value);
    if (has(Flags, 3))
      follow(F.Varargs, Last.Value);
    range(F.FirstConstraint, F.LastConstraint, Last.Constraint), range(F.FirstCall, F.LastCall, Last.Call);
    if (has(Flags, 2))
      X.fixed(F.Tag);
  }

  template <typename R> void argument(R &A) {
    uint64_t Flags =
        X.bits(flag(0, A.Value != None) | flag(1, A.Constant.has_value()) | flag(2, A.String != None) | flag(3, A.Distance), 4);
    X.set(A.Distance, has(Flags, 3));
    if (has(Flags, 0))
      follow(A.Value, Last.Value);
    if (has(Flags, 1))
      X.offset(A.Constant);
    if (has(Flags, 2))
      next(A.String, Last.String);
  }
  template <typename R> void call(R &C) {
    uint64_t Flags =
        X.bits(flag(0, moved(C.Loc)) | flag(1, C.Function != Last.Function) | flag(2, C.Symbol != None) |
                   flag(3, C.Callee != None) | flag(4, C.Result != None) | flag(5, C.Site != None) | flag(6, C.NoBuiltin),
               7);
    X.set(C.NoBuiltin, has(Flags, 6));
    if (has(Flags, 1))
      X.near(C.Function, Last.Function);
    else
      X.set(C.Function, Last.Function);
    Last.Function = C.Function;
    if (has(Flags, 2))
      follow(C.Symbol, Last.Symbol);
    if (has(Flags, 3))
      follow(C.Callee, Last.Value);
    if (has(Flags, 4))
      follow(C.Result, Last.Value);
    if (has(Flags, 5))
      X.near(C.Site, 0);
    loc(C.Loc, has(Flags, 0));
    X.list(C.Args, [&](auto &A) { argument(A); });
  }

  template <typename R> void site(R &S) {
    uint64_t Flags = X.bits(flag(0, S.Size.has_value()), 1);
    X.fixed(S.Id);
    follow(S.Call, Last.Call), follow(S.Callee, Last.String), follow(S.Function, Last.Function), X.number(S.Ordinal);
    if (has(Flags, 0))
      X.number(S.Size);
  }

  template <typename R> void note(R &N) {
    uint64_t Flags = X.bits(flag(0, moved(N.Loc)), 1);
    X.number(N.Code), follow(N.Text, Last.String);
    loc(N.Loc, has(Flags, 0));
  }
};

} // namespace freehold
