// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Summary.h - what one module does to pointers, independent of LLVM IR.
//
// A Module is made from IR once, at compile time, before inlining (SummaryBuilder.h); it rides in the object file as bytes
// (SummaryIO.h); at the link all modules are merged into one Program (solver/Program.h) and solved. It is the "primitive
// assignments database" of Heintze and Tardieu (PLDI 2001, sect. 4) with byte offsets (Pearce, Kelly, Hankin, TOPLAS 2007).
//
// What is tracked. A *value* is an SSA value, a parameter or a function result of at least 64 bits: pointers, i64, i128,
// double, vectors and aggregates of those. It has a points-to set of addresses (object + offsets) and may be *external*: it may
// then point to any escaped object and to anything outside the program. Integers narrower than 64 bits are not tracked: reading
// the bytes of a pointer narrowly exposes (escapes) what it points to, and a pointer rebuilt from untracked bits is external
// (PNVI-ae-udi; compare Krogstie et al., CGO 2026).
//
// The order of trust: what the builder does not understand becomes Escape on every operand and External on the result, with
// a reason code. Nothing is ever left out in silence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace freehold {

/// Dense id of a string, value, object, symbol, function, call or site. Ids are local to their Module (or Program).
using Index = uint32_t;
constexpr Index None = ~Index(0);

/// Stable reason code: 102 is printed as FH102 and explained in docs/reasons/FH102.md.
using ReasonCode = uint16_t;

struct SourceLoc {
  Index File = None; ///< in Strings; relative or absolute as the compiler saw it
  uint32_t Line = 0; ///< 0: unknown
  uint32_t Column = 0;
};

/// How an address moves inside its object. Offsets are bytes and may be negative.
///   Stride 0             exactly + Offset
///   Stride s             + Offset + s*n for any integer n; 1 means "anywhere in the object"
///   Length l (Stride>0)  the result lies in [x + Offset, x + Offset + l) and stays there however it is displaced later: the
///                        decay of an array member that is not the last of its struct (C11 6.5.6p8, counted under FH902)
struct Displacement {
  int64_t Offset = 0;
  uint64_t Stride = 0;
  uint64_t Length = 0;
};

enum class ConstraintKind : uint8_t {
  AddressOf,      ///< Dst contains the address of object Src, displaced
  Copy,           ///< Dst includes Src
  Displace,       ///< Dst includes Src, displaced
  Load,           ///< Dst includes what is read at *Src, Width >= 8 bytes
  Store,          ///< *Dst includes Src, Width >= 8 bytes; Code 1: an initialiser, which alone may write constant objects
  NarrowLoad,     ///< Width < 8 bytes are read at *Src: what those words point to escapes (FH201)
  UntrackedStore, ///< *Dst gets Width bytes of untracked bits (0: unknown extent): a tracked read of them is external, and an
                  ///< address of which they change a part (Width 0 or < 8) moves inside its object. Code 1: the bits are zero,
                  ///< nothing can be rebuilt from them, but an address may move
  CopyMemory,     ///< *Dst includes the words of *Src, field by field; Width bytes (0: unknown)
  External,       ///< Dst becomes external
  Escape,         ///< the pointees of Src escape; Code says why
  Indexed,    ///< Dst includes the pointees of Src at any offset, but not its externality: Src was an index added to a pointer.
              ///< Covers relative pointers (b - a stored, added to a later); that an index of unknown origin does not
              ///< lead out of the object of the pointer it is added to is FH902
  Difference, ///< Dst - Src was narrowed or stored in bits we do not track: harmless within one object (C11 6.5.6p9),
              ///< but if the solved points-to sets are disjoint the pointees of both escape (FH201)
};

struct Constraint {
  ConstraintKind Kind;
  ReasonCode Code = 0; ///< Escape, External
  Index Dst = None;    ///< a value
  Index Src = None;    ///< a value; AddressOf: an object
  Displacement Disp;   ///< AddressOf, Displace
  uint64_t Width = 0;  ///< bytes
  SourceLoc Loc;
};

enum class ObjectKind : uint8_t { Variable, Function, Stack };

/// What memory is distinguished by. Heap objects are not here: the solver makes one for each call that allocates.
struct Object {
  ObjectKind Kind;
  Index Name = None;     ///< source name if known
  Index Symbol = None;   ///< Variable, Function
  Index Function = None; ///< Stack: the function it belongs to
  std::optional<uint64_t> Size;
  bool ThreadLocal = false;
  bool Constant = false; ///< read-only memory: stores to it do not happen (FH902)
  SourceLoc Loc;
};

enum class Linkage : uint8_t {
  Internal,            ///< nobody else sees it; always counts
  External,            ///< strong definition
  Weak,                ///< may be replaced by another definition: never trusted unless it prevailed
  ODR,                 ///< linkonce_odr, weak_odr: copies are equal; all copies count
  AvailableExternally, ///< a copy for inlining; the real one is elsewhere
  Common,              ///< tentative definition
  Declared,            ///< defined elsewhere
};

struct Symbol {
  Index Name = None; ///< linkage name
  Linkage Link = Linkage::Declared;
  bool Hidden = false; ///< hidden or protected-by-build visibility: never exported from a shared library
  bool Used = false;   ///< in llvm.used, a named section, named by inline or module assembly: the outside sees it
  Index Object = None;
  Index Function = None; ///< definition in Functions
  Index Aliasee = None;  ///< alias: the symbol it stands for
  bool IFunc = false;    ///< ifunc: Aliasee is the resolver; calls go to what it returns
};

struct Function {
  Index Symbol = None;
  Index SourceName = None; ///< as the programmer wrote it
  SourceLoc Loc;
  std::vector<Index> Params;                     ///< values; None where the parameter is too narrow to be tracked
  Index Result = None;                           ///< value
  Index Varargs = None;                          ///< value: union of all anonymous arguments
  Index FirstConstraint = 0, LastConstraint = 0; ///< [first, last) in Module::Constraints
  Index FirstCall = 0, LastCall = 0;             ///< [first, last) in Module::Calls
  bool Constructor = false;                      ///< in llvm.global_ctors (or _dtors: Destructor)
  bool Destructor = false;
  uint64_t Tag = 0; ///< hash that marks this definition in the IR (function attribute "fh-fn"), to see which one prevailed
};

struct CallArg {
  Index Value = None;              ///< None: cannot carry a pointer
  std::optional<int64_t> Constant; ///< integer constant, null is 0
  bool Distance = false;           ///< a number made of differences of addresses, each with its Difference constraint
  Index String = None;             ///< contents of a constant string argument (format strings, symbol names)
};

struct Call {
  Index Function = None; ///< the caller
  Index Symbol = None;   ///< direct callee
  Index Callee = None;   ///< value holding the callee of an indirect call
  std::vector<CallArg> Args;
  Index Result = None;    ///< value
  Index Site = None;      ///< in Sites: an allocation call that can be rewritten
  bool NoBuiltin = false; ///< the call must reach the named function itself: no model, except through its own definition
  SourceLoc Loc;
};

/// An allocation site whose call was given an id in the IR. Sites that hash alike (copies of one inline function) are one.
struct Site {
  uint64_t Id = 0; ///< hash of the function's linkage name, source position and ordinal
  Index Call = None;
  Index Callee = None; ///< string: malloc, calloc, _Znwm, ...
  std::optional<uint64_t> Size;
  Index Function = None;
  uint32_t Ordinal = 0;
};

/// Something the verdicts rest on, or that was not understood: counted and shown under its code.
struct Note {
  ReasonCode Code = 0;
  Index Text = None;
  SourceLoc Loc;
};

struct Module {
  Index Name = None; ///< source file name
  std::vector<std::string> Strings;
  std::vector<Symbol> Symbols;
  std::vector<Object> Objects;
  std::vector<Index> ValueNames; ///< per value: source variable name or None; its size is the number of values
  std::vector<Constraint> Constraints;
  Index FirstGlobalConstraint = 0; ///< [this, end) of Constraints: initialisers of variables, always active
  std::vector<Function> Functions;
  std::vector<Call> Calls;
  std::vector<Site> Sites;
  std::vector<Note> Notes;
  uint32_t Frees = 0;       ///< direct calls of free, delete, ...
  bool CodeUnknown = false; ///< module assembly that could not be read: every symbol of the module is external
  std::string str(Index I) const { return I == None ? std::string() : Strings[I]; }
};

} // namespace freehold
