// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorProbes.cpp - see DoctorProbes.h. A probe is one access model of the runtime, built alone (runtime/access/probe.c): what
// is timed is the function that libfreehold's malloc begins with.
//
// Cost: a call that makes one access, less a call that makes none. All models take turns in every round, so that what disturbs
// the machine disturbs all alike, and the median of the rounds counts.

#include "DoctorProbes.h"
#include "Paths.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <asm/prctl.h>
#include <chrono>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

using namespace llvm;

// runtime/access/probe.c, local-exec: in this program itself.
extern "C" void *fh_probe_access(void *Unused);
extern "C" bool fh_probe_start();

namespace freehold {
namespace {

constexpr unsigned Rounds = 15, Calls = 100000;

using Access = void *(*)(void *Block);

extern "C" {
__attribute__((noinline)) static void *accessNothing(void *) {
  void *Nothing;
  asm volatile("" : "=a"(Nothing)); // a result like the others', computed from nothing
  return Nothing;
}
static void *GsBlock[2] = {GsBlock, nullptr};
__attribute__((noinline)) static void *accessGs(void *) {
  void *Own;
  asm volatile("movq %%gs:0, %0" : "=r"(Own));
  return Own;
}
static void *Plain = &Plain;
__attribute__((noinline)) static void *accessPassed(void *Block) { return *static_cast<void **>(Block); }
__attribute__((noinline)) static void *accessPlain(void *) {
  void *volatile *Global = &Plain;
  return *Global;
}
}

uint64_t gsBase() {
  uint64_t Base = 1;
  return syscall(SYS_arch_prctl, ARCH_GET_GS, &Base) == 0 ? Base : 1;
}

struct Timed {
  Access Function;
  SmallVector<double, Rounds> Ns, Ticks;
};

void timeOnce(Timed &T, double &Ns, double &Ticks) {
  auto Start = std::chrono::steady_clock::now();
  uint64_t StartTicks = __rdtsc();
  for (unsigned I = 0; I < Calls; ++I)
    asm volatile("" : : "r"(T.Function(GsBlock)) : "memory");
  Ticks = double(__rdtsc() - StartTicks) / Calls;
  Ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - Start).count() / Calls;
}

double median(SmallVectorImpl<double> &Values) {
  std::sort(Values.begin(), Values.end());
  return std::max(0.0, Values[Values.size() / 2]);
}

void timeAll(MutableArrayRef<Timed> All) {
  Timed Nothing{accessNothing, {}, {}};
  double Ns, Ticks, EmptyNs, EmptyTicks;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    timeOnce(Nothing, EmptyNs, EmptyTicks);
    for (Timed &T : All) {
      timeOnce(T, Ns, Ticks);
      T.Ns.push_back(Ns - EmptyNs);
      T.Ticks.push_back(Ticks - EmptyTicks);
    }
  }
}

/// A copy of a library in memory whose TLS segment has Size bytes, as the loader takes it by name; -1 if it has none.
int copyWithTls(StringRef Library, uint64_t Size, std::string &Name) {
  auto Buffer = MemoryBuffer::getFile(Library, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!Buffer)
    return -1;
  std::string Bytes = (*Buffer)->getBuffer().str();
  auto *Header = reinterpret_cast<Elf64_Ehdr *>(Bytes.data());
  auto *Parts = reinterpret_cast<Elf64_Phdr *>(Bytes.data() + Header->e_phoff);
  auto *Tls = std::find_if(Parts, Parts + Header->e_phnum, [](const Elf64_Phdr &P) { return P.p_type == PT_TLS; });
  if (Tls == Parts + Header->e_phnum || Tls->p_memsz > Size)
    return -1;
  Tls->p_memsz = Size;
  int FD = memfd_create("freehold-probe", 0);
  if (FD < 0 || write(FD, Bytes.data(), Bytes.size()) != ssize_t(Bytes.size()))
    return -1;
  Name = "/proc/self/fd/" + std::to_string(FD);
  return FD;
}

void *symbol(void *Library, const char *Name) { return Library ? dlsym(Library, Name) : nullptr; }

/// Runs Try in a child, so that what it uses up comes back; what it wrote to the pipe end goes to Said.
template <typename Function> bool inChild(Function Try, std::string *Said = nullptr) {
  int Ends[2];
  if (pipe(Ends) != 0)
    return false;
  pid_t Child = fork();
  if (Child == 0)
    _exit(Try(Ends[1]) ? 0 : 1);
  close(Ends[1]);
  char Text[512];
  ssize_t Length = Child < 0 ? 0 : read(Ends[0], Text, sizeof Text);
  close(Ends[0]);
  int Status = 1;
  if (Child > 0)
    waitpid(Child, &Status, 0);
  if (Said && Length > 0)
    Said->assign(Text, size_t(Length));
  return Status == 0;
}

/// The largest TLS segment for which Works, a multiple of 8; nothing if not even 8 bytes.
template <typename Function> uint64_t largest(Function Works) {
  uint64_t Fits = 0, TooMuch = uint64_t(1) << 20;
  while (TooMuch - Fits > 8) {
    uint64_t Middle = (Fits + TooMuch) / 16 * 8;
    (Works(Middle) ? Fits : TooMuch) = Middle;
  }
  return Fits;
}

struct LibraryModel {
  const char *Name, *File, *Where, *Note;
  uint64_t TlsSize; ///< 0: as it is
};
// TLSDESC twice: with and without room in static TLS.
const LibraryModel LibraryModels[] = {
    {"initial-exec", "initial-exec", "libraries there at start; dlopen'ed ones while static TLS lasts", "", 0},
    {"tlsdesc", "tlsdesc", "libraries, static TLS found", "", 0},
    {"tlsdesc-dynamic", "tlsdesc", "dlopen'ed libraries, no static TLS left", "", 1 << 20},
    {"local-dynamic", "local-dynamic", "libraries, several variables of their own", "", 0},
    {"global-dynamic", "global-dynamic", "libraries", "", 0},
    {"key", "key", "where there is no thread-local storage", "pthread_getspecific", 0},
    {"table", "table", "where there is neither that nor a key", "hash table by pthread_self", 0},
};

ModelFacts loadModel(const LibraryModel &L, Access &Function) {
  ModelFacts F{L.Name, L.Where, false, L.Note, {}, {}};
  std::string Name = probesFolder() + "/" + L.File + ".so";
  int FD = L.TlsSize ? copyWithTls(Name, L.TlsSize, Name) : -1;
  void *Library = dlopen(Name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    F.Why = dlerror();
  auto *Start = reinterpret_cast<bool (*)()>(symbol(Library, "fh_probe_start"));
  auto *InStatic = reinterpret_cast<bool (*)()>(symbol(Library, "fh_probe_in_static_tls"));
  Function = reinterpret_cast<Access>(symbol(Library, "fh_probe_access"));
  if (FD >= 0)
    close(FD);
  F.Works = Start && InStatic && Function && Start() && Function(nullptr);
  if (!F.Works && Library)
    F.Why = "the probe library does not answer";
  else if (F.Works && StringRef(L.File) == "tlsdesc" && InStatic() != (L.TlsSize == 0)) {
    F.Works = false;
    F.Why = L.TlsSize ? "the loader has static TLS for a megabyte" : "the loader gave it no static TLS";
  }
  return F;
}

} // namespace

std::string probesFolder() {
  for (const char *Folder : {"lib", FREEHOLD_LIBDIR})
    if (std::string Path = programFolder() + "/../" + Folder + "/freehold/probes"; sys::fs::is_directory(Path))
      return Path;
  return "";
}

void measureModels(MachineFacts &M) {
  std::vector<Timed> All;
  auto Add = [&](ModelFacts F, Access Function) {
    if (F.Works)
      All.push_back({Function, {}, {}});
    M.Models.push_back(std::move(F));
  };
  Add({"plain-global", "one thread", true, "for comparison: not a thread's own", {}, {}}, accessPlain);
  Add({"local-exec", "executables", fh_probe_start(), "", {}, {}}, fh_probe_access);
  for (const LibraryModel &L : LibraryModels) {
    Access Function = nullptr;
    ModelFacts F = loadModel(L, Function);
    Add(std::move(F), Function);
  }
  bool UseGs = M.GsFree && syscall(SYS_arch_prctl, ARCH_SET_GS, GsBlock) == 0 && accessGs(nullptr) == GsBlock;
  Add({"gs", "any code, where no other uses %gs", UseGs, UseGs ? "" : "%gs is in use, or cannot be set", {}, {}}, accessGs);
  Add({"passed", "code that hands its context on", true, "a pointer in an argument", {}, {}}, accessPassed);
  timeAll(All);
  if (UseGs)
    syscall(SYS_arch_prctl, ARCH_SET_GS, nullptr);
  M.Rounds = Rounds;
  M.Calls = Calls;
  auto *Next = All.begin().base();
  for (ModelFacts &F : M.Models)
    if (F.Works) {
      F.Ns = median(Next->Ns);
      F.Ticks = median(Next->Ticks);
      ++Next;
    }
}

void measureSurplus(MachineFacts &M) {
  M.GsFree = gsBase() == 0;
  std::string Hungry = probesFolder() + "/hungry.so", Tlsdesc = probesFolder() + "/tlsdesc.so";
  if (!sys::fs::exists(Hungry) || !sys::fs::exists(Tlsdesc))
    return;
  auto LoadsInStatic = [&](uint64_t Size) {
    return inChild(
        [&](int Pipe) {
          std::string Name;
          if (copyWithTls(Hungry, Size, Name) < 0)
            return false;
          if (dlopen(Name.c_str(), RTLD_NOW))
            return true;
          std::string Said = dlerror();
          return write(Pipe, Said.data(), Said.size()) < 0;
        },
        &M.Refusal);
  };
  auto FindsStatic = [&](uint64_t Size) {
    return inChild([&](int) {
      std::string Name;
      if (copyWithTls(Tlsdesc, Size, Name) < 0)
        return false;
      auto *InStatic = reinterpret_cast<bool (*)()>(symbol(dlopen(Name.c_str(), RTLD_NOW), "fh_probe_in_static_tls"));
      return InStatic && InStatic();
    });
  };
  M.SurplusInitialExec = largest(LoadsInStatic);
  M.SurplusTlsdesc = largest(FindsStatic);
  M.Refusal = StringRef(M.Refusal).rsplit(": ").second.str();
}

} // namespace freehold
