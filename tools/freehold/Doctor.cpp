// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doctor.cpp - `freehold doctor [--json] [BINARY]`: the verb, and how its findings are drawn.

#include "DoctorReport.h"
#include "Verbs.h"
#include "Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace freehold {
namespace {

/// What to choose, by where the code runs.
struct Advice {
  const char *For, *Model, *Text;
};

std::vector<Advice> advise(const MachineFacts &M) {
  bool Room = M.SurplusInitialExec.value_or(0) >= 8;
  return {
      {"an executable", "local-exec", "link it with freehold-cc, or with libfreehold.a: the heads are one displacement away"},
      {"a library there at the program's start", "initial-exec",
       "libfreehold.so, needed or preloaded: its 8 bytes of static TLS are always to be had"},
      {"a library that comes by dlopen", Room ? "initial-exec" : "tlsdesc",
       Room ? "takes static TLS from what is left; libfreehold.so needs 8 bytes of it, and works without, but slower: preload it "
              "there, or "
              "set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"
            : "no static TLS is left here: preload the library, or set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"},
      {"a place without thread-local storage", "key", "table where the keys are used up too"},
  };
}

/// The mode of globals to choose; where the best cannot be had, why, and what is taken.
std::vector<Advice> adviseGlobals(const MachineFacts &M) {
  bool Room = M.SurplusInitialExec.value_or(0) >= 8;
  return {
      {"an executable", "static", "costs what a plain global costs"},
      {"a library there at the program's start", "static",
       "its thread block is in static TLS, whose size the loader knows then; gs where the same library may come by dlopen"},
      {"a library that comes by dlopen", M.GsFree ? "gs" : "cached",
       M.GsFree ? "needs no static TLS, whatever its size; each thread must register before its first access, for one that does "
                  "not may use another thread's globals"
       : Room   ? "%gs is in use here; cached needs 8 bytes of static TLS, which are left"
                : "%gs is in use here, and 'cannot allocate memory in static TLS block' for 8 bytes: compile it with "
                  "-DFREEHOLD_GLOBALS_DYNAMIC=1 too"},
      {"a place without thread-local storage", "passed", "the thread block is a parameter of functions"},
  };
}

void row(raw_ostream &OS, StringRef Name, const Twine &Text) { OS << "  " << left_justify(Name, 13) << ' ' << Text << '\n'; }

std::string cost(const std::optional<double> &Value, const char *Format) {
  if (!Value)
    return "-";
  char Text[32];
  snprintf(Text, sizeof Text, Format, *Value);
  return Text;
}

void printModels(const MachineFacts &M, raw_ostream &OS) {
  OS << "\n  " << left_justify("access model", 17) << right_justify("ns", 7) << right_justify("ticks", 8) << "   where\n";
  for (const ModelFacts &F : M.Models) {
    OS << "  " << left_justify(F.Name, 17) << right_justify(cost(F.Ns, "%.2f"), 7) << right_justify(cost(F.Ticks, "%.1f"), 8)
       << "   " << F.Where;
    if (!F.Why.empty())
      OS << (F.Works ? " (" : "; does not work here: ") << F.Why << (F.Works ? ")" : "");
    OS << '\n';
  }
  OS << "\n  A call that makes one access, less a call that makes none: median of " << M.Rounds << " rounds of " << M.Calls
     << " calls, all models\n  in turn in each. Ticks are the time stamp counter's.\n";
}

std::string howMany(uint64_t Count) { return Count ? std::to_string(Count) : "-"; }

} // namespace

void printText(const MachineFacts &M, raw_ostream &OS) {
  OS << "freehold doctor: this machine\n\n";
  row(OS, "processor",
      M.Processor + (M.Fsgsbase ? "; FSGSBASE" : "; no FSGSBASE") + (M.GsFree ? ", %gs is free" : ", %gs is in use"));
  row(OS, "system", M.Kernel + ", " + M.Libc);
  row(OS, "memory",
      "pages of " + Twine(M.PageSize) + " bytes, huge pages: " + (M.HugePages.empty() ? "unknown" : M.HugePages) +
          ", address space " +
          (M.AddressSpaceLimit ? "limited to " + std::to_string(*M.AddressSpaceLimit >> 20) + " MiB" : "unlimited"));
  row(OS, "keys",
      M.ProtectionKeys ? Twine(M.ProtectionKeys) + " protection keys: in force under FREEHOLD_CHECK and the owner check"
                       : "no protection keys: the owner check sees only code that freehold-cc compiled");
  for (const CompilerFacts &C : M.Compilers)
    row(OS, &C == &M.Compilers.front() ? "compilers" : "",
        C.Command + " (" + C.Version + "): " + (C.Thread ? "thread-local storage" : "no thread-local storage") +
            (C.Tlsdesc ? ", TLSDESC" : ", no TLSDESC"));
  if (M.Compilers.empty())
    row(OS, "compilers", "none found");
  if (M.SurplusInitialExec) {
    row(OS, "static TLS",
        "a dlopen'ed library gets up to " + Twine(*M.SurplusInitialExec) + " bytes (initial-exec), " +
            Twine(M.SurplusTlsdesc.value_or(0)) + " as TLSDESC");
    row(OS, "", "beyond that the loader says: " + M.Refusal);
  } else {
    row(OS, "static TLS", "not measured: the probe libraries are not installed beside this program");
  }
  if (!M.Tunables.empty())
    row(OS, "", "GLIBC_TUNABLES=" + M.Tunables);
  for (const AllocatorFacts &A : M.Allocators)
    row(OS, &A == &M.Allocators.front() ? "allocators" : "",
        A.Name + std::string(A.Name.size() < 17 ? 18 - A.Name.size() : 1, ' ') + A.File);
  printModels(M, OS);
  OS << "\n  What to choose\n";
  for (const Advice &A : advise(M))
    OS << "    " << A.For << ": " << A.Model << "\n      " << A.Text << '\n';
  OS << "\n  What to choose for globals\n";
  for (const Advice &A : adviseGlobals(M))
    OS << "    " << A.For << ": " << A.Model << "\n      " << A.Text << '\n';
}

void printText(const BinaryFacts &B, raw_ostream &OS) {
  OS << "freehold doctor: " << B.File << "\n\n";
  row(OS, "kind", B.Kind + (B.HasSymbols ? "" : ", without a symbol table"));
  row(OS, "malloc", B.Allocator);
  std::string Runtime = B.Runtime == "itself"   ? "this is libfreehold"
                        : B.Runtime == "inside" ? "inside"
                        : B.Runtime == "needed" ? "libfreehold.so is needed"
                                                : "none";
  if (B.RuntimeLayout)
    Runtime += ", " + B.RuntimeModel + ", layout " + std::to_string(B.RuntimeLayout);
  row(OS, "libfreehold", Runtime);
  std::string Rewritten = B.InlinedPaths ? "yes, with inlined paths" : B.Rewritten.empty() ? "no" : "yes, without inlined paths";
  if (!B.InlinedPaths && B.Rewritten.empty() && !B.HasSymbols && B.RuntimeLayout && B.Kind != "library")
    Rewritten = "unknown: without a symbol table";
  for (const AccessFacts &A : B.Rewritten)
    Rewritten += (&A == &B.Rewritten.front() ? "; calls of " : ", ") + A.Model + ": " + std::to_string(A.Count);
  row(OS, "rewritten", Rewritten);
  row(OS, "static TLS",
      B.TlsSize == 0 ? "no block of its own"
                     : "a block of " + Twine(B.TlsSize) + " bytes, aligned to " + Twine(B.TlsAlign) +
                           (B.Kind != "library"     ? ", there at start"
                            : B.NeedsStaticTls != 0 ? ", which a dlopen takes from what the loader has left"
                                                    : ", made for each thread when it is touched"));
  if (B.NeedsStaticTls)
    row(OS, "", "where it says 'cannot allocate memory in static TLS block': preload the library, or set");
  if (B.NeedsStaticTls)
    row(OS, "", "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 (bytes)");
  if (B.Variables.empty()) {
    OS << "\n  no thread-local variables\n";
    return;
  }
  size_t Width = 12;
  for (const VariableFacts &V : B.Variables)
    Width = std::min<size_t>(48, std::max(Width, V.Name.size() + 10));
  OS << "\n  " << left_justify("variable", Width) << right_justify("bytes", 7) << "   access model: places in the code\n";
  for (const VariableFacts &V : B.Variables) {
    std::string Name = V.Name.empty() ? "at offset " + std::to_string(V.Offset) : V.Name + (V.Imported ? " (other)" : "");
    OS << "  " << left_justify(Name, Width) << right_justify(V.Imported ? "-" : howMany(V.Size), 7) << "   ";
    for (const AccessFacts &A : V.Accesses)
      OS << (&A == &V.Accesses.front() ? "" : ", ") << A.Model << ": " << A.Count;
    OS << (V.Accesses.empty() ? "no access found\n" : "\n");
  }
}

static void tool(json::OStream &J) {
  J.attribute("schema", "freehold-doctor/1");
  J.attributeObject("tool", [&] {
    J.attribute("version", FREEHOLD_VERSION);
    J.attribute("llvm", LLVM_VERSION_STRING);
  });
}

static json::Value number(const std::optional<double> &V) { return V ? json::Value(int64_t(*V * 100 + 0.5) / 100.0) : nullptr; }
static json::Value number(const std::optional<uint64_t> &V) { return V ? json::Value(int64_t(*V)) : nullptr; }
static json::Value text(const std::string &S) { return S.empty() ? json::Value(nullptr) : json::Value(S); }

void printJson(const MachineFacts &M, raw_ostream &OS) {
  json::OStream J(OS, 2);
  J.object([&] {
    tool(J);
    J.attributeObject("machine", [&] {
      J.attribute("kernel", M.Kernel);
      J.attribute("processor", M.Processor);
      J.attribute("fsgsbase", M.Fsgsbase);
      J.attribute("gs_free", M.GsFree);
      J.attribute("protection_keys", int64_t(M.ProtectionKeys));
      J.attribute("page_size", int64_t(M.PageSize));
      J.attribute("huge_pages", text(M.HugePages));
      J.attribute("address_space_limit", number(M.AddressSpaceLimit));
    });
    J.attributeObject("libc", [&] {
      J.attribute("version", M.Libc);
      J.attribute("tunables", text(M.Tunables));
    });
    J.attributeArray("compilers", [&] {
      for (const CompilerFacts &C : M.Compilers)
        J.object([&] {
          J.attribute("command", C.Command);
          J.attribute("version", C.Version);
          J.attribute("thread", C.Thread);
          J.attribute("tlsdesc", C.Tlsdesc);
        });
    });
    J.attributeObject("static_tls", [&] {
      J.attribute("initial_exec", number(M.SurplusInitialExec));
      J.attribute("tlsdesc", number(M.SurplusTlsdesc));
      J.attribute("refusal", text(M.Refusal));
    });
    J.attributeObject("measured", [&] {
      J.attribute("rounds", int64_t(M.Rounds));
      J.attribute("calls", int64_t(M.Calls));
    });
    J.attributeArray("models", [&] {
      for (const ModelFacts &F : M.Models)
        J.object([&] {
          J.attribute("name", F.Name);
          J.attribute("where", F.Where);
          J.attribute("works", F.Works);
          J.attribute("ns", number(F.Ns));
          J.attribute("ticks", number(F.Ticks));
          J.attribute("note", text(F.Why));
        });
    });
    J.attributeArray("allocators", [&] {
      for (const AllocatorFacts &A : M.Allocators)
        J.object([&] {
          J.attribute("name", A.Name);
          J.attribute("file", A.File);
        });
    });
    J.attributeObject("globals", [&] {
      J.attributeObject("modes", [&] {
        for (const GlobalsFacts &G : examineGlobals(M.GsFree))
          J.attributeObject(G.Mode, [&] {
            J.attribute("cflags", G.Cflags);
            J.attribute("libs", G.Libs);
            J.attribute("dso_cflags", G.DsoCflags);
            J.attribute("dso_libs", G.DsoLibs);
          });
      });
      J.attributeArray("advice", [&] {
        for (const Advice &A : adviseGlobals(M))
          J.object([&] {
            J.attribute("for", A.For);
            J.attribute("mode", A.Model);
            J.attribute("text", A.Text);
          });
      });
    });
    J.attributeArray("advice", [&] {
      for (const Advice &A : advise(M))
        J.object([&] {
          J.attribute("for", A.For);
          J.attribute("model", A.Model);
          J.attribute("text", A.Text);
        });
    });
  });
  OS << '\n';
}

void printJson(const BinaryFacts &B, raw_ostream &OS) {
  json::OStream J(OS, 2);
  auto Counts = [&](StringRef Name, StringRef Key, const std::vector<AccessFacts> &All) {
    J.attributeArray(Name, [&] {
      for (const AccessFacts &A : All)
        J.object([&] {
          J.attribute(Key, A.Model);
          J.attribute("count", int64_t(A.Count));
        });
    });
  };
  J.object([&] {
    tool(J);
    J.attributeObject("binary", [&] {
      J.attribute("file", B.File);
      J.attribute("kind", B.Kind);
      J.attribute("symbols", B.HasSymbols);
      J.attribute("malloc", B.Allocator);
      J.attributeObject("libfreehold", [&] {
        J.attribute("present", B.Runtime);
        J.attribute("model", text(B.RuntimeModel));
        J.attribute("layout", B.RuntimeLayout ? json::Value(int64_t(B.RuntimeLayout)) : nullptr);
      });
      J.attributeObject("rewritten", [&] {
        J.attribute("inlined_paths", B.InlinedPaths);
        Counts("calls", "function", B.Rewritten);
      });
      J.attributeObject("static_tls", [&] {
        J.attribute("size", int64_t(B.TlsSize));
        J.attribute("align", int64_t(B.TlsAlign));
        J.attribute("taken_by_dlopen", int64_t(B.NeedsStaticTls));
      });
      J.attributeArray("variables", [&] {
        for (const VariableFacts &V : B.Variables)
          J.object([&] {
            J.attribute("name", text(V.Name));
            J.attribute("imported", V.Imported);
            J.attribute("offset", V.Imported ? json::Value(nullptr) : json::Value(int64_t(V.Offset)));
            J.attribute("size", V.Imported ? json::Value(nullptr) : json::Value(int64_t(V.Size)));
            Counts("accesses", "model", V.Accesses);
          });
      });
    });
  });
  OS << '\n';
}

std::string doctorHelp() { return "  --json         JSON (freehold-doctor/1) in place of text\n"; }

Error doctor(ArrayRef<StringRef> Args) {
  bool Json = false, Options = true;
  std::string File;
  for (StringRef Arg : Args) {
    if (Options && Arg == "--")
      Options = false;
    else if (Options && Arg == "--json")
      Json = true;
    else if (Options && Arg.starts_with("-"))
      return usageError(
          "unknown option '" + Arg + "' of doctor" +
          (didYouMean(Arg, {"--json"}).empty() ? "; freehold doctor --help lists them" : didYouMean(Arg, {"--json"})));
    else if (!File.empty())
      return usageError("doctor takes one binary, not '" + Twine(File) + "' and '" + Arg + "'");
    else if (Arg.empty())
      return usageError("doctor takes the name of a binary, or nothing");
    else
      File = Arg.str();
  }
  if (File.empty()) {
    MachineFacts M = examineMachine();
    Json ? printJson(M, outs()) : printText(M, outs());
    return Error::success();
  }
  Expected<BinaryFacts> B = examineBinary(File);
  if (!B)
    return B.takeError();
  Json ? printJson(*B, outs()) : printText(*B, outs());
  return Error::success();
}

} // namespace freehold
