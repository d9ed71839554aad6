// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names.cpp - see Names.h. Everything here is total: a missing name or place gives a phrase that still reads.

#include "escape/Names.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace freehold {

Names::Names(const Program &P, const Solution &S, StringRef BaseFolder) : P(P), S(S) {
  SmallString<256> Absolute(BaseFolder);
  if (Absolute.empty())
    sys::fs::current_path(Absolute);
  else
    sys::fs::make_absolute(Absolute);
  sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  Base = Absolute.str().str();
  if (!StringRef(Base).ends_with("/"))
    Base += '/';
  for (const auto &[CallAndFunction, Copy] : P.Clones)
    CopyFor[Copy] = CallAndFunction.first;
}

std::string Names::file(Index String) const {
  if (String == None)
    return "";
  SmallString<256> Path(P.Strings[String]);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Text = Path;
  Text.consume_front(Base);
  return Text.str();
}

std::string Names::place(const SourceLoc &L) const {
  return L.File == None || !L.Line ? "" : file(L.File) + ":" + std::to_string(L.Line);
}

std::string Names::function(Index F) const {
  if (F == None)
    return "?";
  const Function &Fn = P.Functions[F];
  if (Fn.SourceName != None && !P.Strings[Fn.SourceName].empty())
    return P.Strings[Fn.SourceName];
  return demangle(P.str(P.Symbols[Fn.Symbol].Name));
}

std::string Names::callee(Index C) const {
  const Call &Site = P.Calls[C];
  if (Site.Symbol != None)
    return demangle(P.str(P.Symbols[Site.Symbol].Name));
  if (S.Callees[C].size() + S.ExternalCallees[C].size() == 1)
    return S.Callees[C].empty() ? demangle(P.str(P.Symbols[S.ExternalCallees[C][0]].Name)) : function(S.Callees[C][0]);
  return "a function pointer";
}

std::string Names::object(Index O) const {
  const AbstractObject &A = S.Objects[O];
  if (A.K == AbstractObject::Private)
    return "the library's memory of this thread";
  if (A.K == AbstractObject::Heap) {
    std::string Where = A.Source == None ? "" : place(P.Calls[A.Source].Loc);
    std::string Via;
    Index In = A.Source == None ? None : P.Calls[A.Source].Function;
    for (auto For = CopyFor.find(In); For != CopyFor.end(); For = CopyFor.find(P.Calls[For->second].Function))
      if (std::string Caller = place(P.Calls[For->second].Loc); !Caller.empty())
        Via += (Via.empty() ? "" : ", ") + Caller;
    if (!Where.empty() && !Via.empty())
      Where += " (via " + Via + ")";
    if (!Where.empty())
      return (A.LibraryMade ? "the library's block made at " : "the block allocated at ") + Where;
    return A.Source == None ? "a block" : "the block allocated in " + function(P.Calls[A.Source].Function);
  }
  const Object &Source = P.Objects[A.Source];
  std::string Name = P.str(Source.Name);
  if (Name.empty() && Source.Symbol != None)
    Name = P.str(P.Symbols[Source.Symbol].Name);
  switch (A.K) {
  case AbstractObject::Function:
    return "function " + Name;
  case AbstractObject::Stack:
    return (Name.empty() ? "a variable" : "variable " + Name) +
           (Source.Function == None ? "" : " of " + function(Source.Function));
  default:
    return (Source.ThreadLocal ? "thread-local " : "global ") + Name;
  }
}

std::string Names::memory(Index O, const Offsets *Where) const {
  if (!Where || Where->Stride || Where->Base == 0 || S.Objects[O].K == AbstractObject::Private)
    return object(O);
  return "the field at offset " + std::to_string(Where->Base) + " of " + object(O);
}

std::string Names::value(Index V, Index O, Index Here) const {
  if (V != None && hasName(V))
    return P.Strings[P.ValueNames[V]];
  if (O == Here)
    return "the block";
  return S.Objects[O].K == AbstractObject::Heap ? object(O) : "the address of " + object(O);
}

} // namespace freehold
