// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models.h - what library functions do to pointers and threads: models/*.yaml, read by YAMLIO.
//
// A model holds only for a symbol that no definition of the program replaces, and only for a call whose arguments fit the
// prototype. It applies whenever the callee set of a call contains the external function, direct or through a pointer.
//
//   - name: pthread_create
//     aliases: [thrd_create_alias]          # other linkage names with the same prototype and effects
//     type: i(ppfp)                         # result(params): p pointer, f function pointer, i integer of 64 bits, n a number of
//                                           # fewer bits, d floating point of 64 bits or more, v void; a trailing '.' is variadic
//     effects: [spawns a2(a3), writes a0, reads a1]       # quoted if it has a comma or a question mark
//
// Every argument is classed by the effects that name it. What no effect classes is exposed, its value and all it leads to
// (FH203), and a result that no effect names is external. `lint` refuses models that rest on that.
//   dies      nothing of it can come back to anybody by this or a later call: not its value, nor the bytes it leads to
//   exposed   what it is, or what it leads to, may come back: exposes, keeps, bytes-out
// Bytes that are written and results are classed too: either nobody can choose them (fills, returns scalar), or somebody may have
// set them, by this call or an earlier one, in this thread or another, and they may be any address (writes, bytes-in, returns
// external). n needs no word: such a number was exposed where it was narrowed, and one that is widened is external.
//
// VALUE operands: aN argument N; *aN the pointer stored where aN points; a trailing +? displaces it anywhere in its object:
// `a0+?`, `*a2+?` (loaded first, then displaced). Where an effect says *PLACE (copies, stores in, alloc, joins) the word is an
// address: `*a0` is the memory a0 points to, `*a0+?` the same at any offset, `*r` the memory of the result. A VALUE's `r` is
// the result itself (writes r: the memory it points to). SIZE is `size=aN`, a number of bytes that an argument gives, or
// `size=16`; without it the extent is unknown.
//
//   alloc r [size=aN[*aM]] [zeroed] [family=malloc] [rewritable]      fresh object returned
//   alloc *PLACE [...]                              fresh object stored there; without `rewritable` it is libc-made (FH208)
//   realloc r aN [size=aN[*aM]] [rewritable]        returns fresh object that includes what *aN held, or aN itself; frees aN
//   frees VALUE                                     frees what it points to
//   returns VALUE | external | scalar | static | private    `static`: libc's own memory all threads share (external);
//                                                   `private`: memory of libc that only this thread sees (one cell for all);
//                                                   `scalar`: a number that no program can choose.
//                                                   Several: the union. Results of class p, i and d always have one, or an alloc.
//                                                   Of an argument of class p it classes the value only, not what it leads to
//   stores VALUE|external in *PLACE                 the value is stored there; classes VALUE like `returns`
//   copies *PLACE to *PLACE [size=aK]               words go from the first to the second, field by field
//   reads VALUE                                     dies; bytes of its pointees are looked at
//   dies aN aM                                      dies; its pointees are not touched in this call. `...` names the anonymous
//                                                   arguments of a variadic function
//   writes VALUE [SIZE]                             bytes made from others: its pointees get untracked bytes
//   fills VALUE                                     bytes that no program can choose (a lock's own state): pointers are not
//                                                   affected, what was there is not looked at
//   zeroes VALUE [SIZE]
//   bytes-out VALUE [SIZE] [FH304]                  contents of its pointees leave the program (what they point to escapes)
//   bytes-in VALUE [SIZE]                           its pointees get external values: whatever somebody set or sent
//   keeps VALUE [FH302]                             escape of its pointees with that code
//   calls aN(ARG, ...)                              callback, ARG = VALUE, external, scalar, private; run by the caller
//   spawns aN(aK)                                   new thread of class many: runs aN with aK; pointees of aK are thread roots
//                                                   (FH102), of what aN returns too (FH103)
//   exits-thread aN                                 aN's pointees are thread roots (FH103)
//   joins *aN                                       *aN gets every thread result
//   key-set aN | key-get                            thread-private cell of pthread keys, in and out (r)
//   key-dtor aN                                     function aN is called with the cell's contents when a thread ends
//   enters-library                                  code without a model runs: it may read what lies under any key
//   format aN args=M [FH304]                        printf-like format string in aN, its arguments from aM on. What the format
//                                                   and what %s prints hold is exposed with that code (default FH201),
//                                                   numbers, widths, precisions and %p by value, %n is written; a format that
//                                                   is not a constant may do all of it
//   scan aN args=M                                  scanf-like: the format's contents are exposed, pointees of the arguments get
//                                                   untracked bytes, %m makes a block
//   exposes VALUE VALUE ...                         the value becomes known as a number (FH201). A distance between two addresses
//                                                   is harmless within one object (ConstraintKind::Difference)
//   nothing                                         no effect (also for functions that never return)
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace freehold {

enum class EffectKind : uint8_t {
  Alloc,
  Realloc,
  Frees,
  Returns,
  Stores,
  Copies,
  Reads,
  Dies,
  Writes,
  Fills,
  Zeroes,
  BytesOut,
  BytesIn,
  Keeps,
  Calls,
  Spawns,
  ExitsThread,
  Joins,
  KeySet,
  KeyGet,
  KeyDtor,
  EntersLibrary,
  Format,
  Scan,
  Exposes,
  Nothing
};

/// One operand of an effect. Arg with Deref: the memory the argument points to.
struct Operand {
  enum Kind : uint8_t { Absent, Arg, Result, External, Scalar, Static, Private } K = Absent;
  unsigned N = 0;
  bool Deref = false;
  bool AnyOffset = false;
};

struct Effect {
  EffectKind Kind = EffectKind::Nothing;
  Operand A, B;                             ///< in the order in which the effect names them
  std::vector<Operand> Args;                ///< calls, spawns, dies, exposes
  std::optional<unsigned> Size, SizeFactor; ///< argument numbers
  uint64_t FixedSize = 0;                   ///< bytes; 0: none given
  unsigned FirstVararg = 0;                 ///< format, scan
  ReasonCode Code = 0;
  std::string Family; ///< alloc
  bool Zeroed = false, Rewritable = false;
  bool Anonymous = false; ///< dies: the anonymous arguments too
};

struct Model {
  std::string Name, Type;
  std::vector<Effect> Effects;
  // What no effect classes.
  std::vector<unsigned> Exposed; ///< arguments, in order
  bool ResultExternal = false;
  std::optional<unsigned> VariadicExposed; ///< the first anonymous argument
};

class Models {
public:
  /// All *.yaml of a directory, in name order. A fault is an error with file and line, and so are two models of one name.
  static llvm::Expected<Models> load(llvm::StringRef Directory);
  /// The same, on top of what is there: a model of a name that is known replaces it.
  llvm::Error addFolder(llvm::StringRef Directory);
  llvm::Error add(llvm::StringRef Text, llvm::StringRef FileName);
  /// Null if there is none. NumArgs: what the call passes; a prototype that does not fit gives null too.
  const Model *find(llvm::StringRef LinkageName, size_t NumArgs) const;
  const Model *find(llvm::StringRef LinkageName) const;

private:
  std::vector<Model> All;
  llvm::StringMap<Index> ByName;
  llvm::StringMap<std::string> FolderNames; ///< names that the folder now read has models for, with the file
};

} // namespace freehold
