// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorReport.h - what `freehold doctor` finds, of the machine and of a binary. docs/doctor-schema.md describes the JSON form.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace freehold {

/// One way for a thread to reach its own, as it works here.
struct ModelFacts {
  std::string Name, Where;
  bool Works = false;
  std::string Why;                 ///< where it does not work, or what to know
  std::optional<double> Ns, Ticks; ///< one access more than a call of an empty function: median of rounds
};

struct CompilerFacts {
  std::string Command, Version;
  bool Thread = false, Tlsdesc = false; ///< takes _Thread_local; emits TLS descriptors
};

struct AllocatorFacts {
  std::string Name, File;
};

/// What builds code in a mode of the globals layer.
struct GlobalsFacts {
  std::string Mode;
  std::string Cflags, Libs;       ///< for an executable
  std::string DsoCflags, DsoLibs; ///< for a shared library
};
/// Empty where libfreehold-tsrm is not installed beside this program.
std::vector<GlobalsFacts> examineGlobals(bool GsFree);

struct MachineFacts {
  std::string Kernel, Libc, Processor, HugePages, Tunables;
  long PageSize = 0;
  std::optional<uint64_t> AddressSpaceLimit; ///< RLIMIT_AS
  bool Fsgsbase = false, GsFree = false;
  unsigned ProtectionKeys = 0;                                ///< that a process can have
  std::optional<uint64_t> SurplusInitialExec, SurplusTlsdesc; ///< bytes; empty: the probes are not installed
  std::string Refusal;                                        ///< the loader's words when there is no room
  unsigned Rounds = 0, Calls = 0;
  std::vector<CompilerFacts> Compilers;
  std::vector<ModelFacts> Models;
  std::vector<AllocatorFacts> Allocators;
};

MachineFacts examineMachine();

/// How often code reaches a variable in a model, or how often the loader prepares for it where the code does not show.
struct AccessFacts {
  std::string Model;
  unsigned Count = 0;
};

struct VariableFacts {
  std::string Name;    ///< empty: no symbol; Offset tells
  uint64_t Offset = 0; ///< in the binary's TLS block
  uint64_t Size = 0;
  bool Imported = false; ///< another library's
  std::vector<AccessFacts> Accesses;
};

struct BinaryFacts {
  std::string File, Kind;             ///< executable, static executable, library
  std::string Allocator, Runtime;     ///< whose malloc; how libfreehold is there (inside, needed, itself, none)
  std::string RuntimeModel;           ///< access model of the runtime inside
  unsigned RuntimeLayout = 0;         ///< 0: none inside
  bool InlinedPaths = false;          ///< refers to the heap's layout, as code with inlined paths does
  std::vector<AccessFacts> Rewritten; ///< calls of libfreehold's functions that rewriting makes
  uint64_t TlsSize = 0, TlsAlign = 1;
  uint64_t NeedsStaticTls = 0; ///< bytes of static TLS that a dlopen of it takes
  bool HasSymbols = false;     ///< .symtab
  std::vector<VariableFacts> Variables;
};

/// Exit code 3 for what is no x86-64 ELF executable or library.
llvm::Expected<BinaryFacts> examineBinary(const std::string &File);

void printText(const MachineFacts &M, llvm::raw_ostream &OS);
void printText(const BinaryFacts &B, llvm::raw_ostream &OS);
void printJson(const MachineFacts &M, llvm::raw_ostream &OS);
void printJson(const BinaryFacts &B, llvm::raw_ostream &OS);

} // namespace freehold
