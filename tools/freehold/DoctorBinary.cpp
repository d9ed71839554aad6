// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorBinary.cpp - one ELF executable or library: which allocator is linked, what freehold-cc did to it, and in which access
// model each thread-local variable is reached: by the relocations left for the loader, and by the code.

#include "DoctorCode.h"
#include "DoctorReport.h"
#include "Verbs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <map>

using namespace llvm;
using namespace llvm::object;

namespace freehold {
namespace {

/// Functions of libfreehold that rewritten code calls.
const char *const RewrittenCalls[] = {"fh_tls_malloc_class", "fh_tls_malloc",        "fh_tls_calloc",         "fh_tls_realloc",
                                      "fh_tls_reallocarray", "fh_tls_aligned_alloc", "fh_tls_posix_memalign", "fh_tls_strdup",
                                      "fh_tls_strndup",      "fh_tls_new",           "fh_tls_new_nothrow",    "fh_check_access",
                                      "fh_check_site"};

/// What cannot be read is not there: a damaged part must not keep the rest from being told.
template <typename T> std::optional<T> orNothing(Expected<T> Value) {
  if (Value)
    return std::move(*Value);
  consumeError(Value.takeError());
  return std::nullopt;
}

class Examiner {
public:
  Examiner(const ELF64LEObjectFile &Object, BinaryFacts &B) : Object(Object), Elf(Object.getELFFile()), B(B) {}

  Error run() {
    prepareDecoder();
    if (Error E = readSegments())
      return E;
    readDynamic();
    for (bool Dynamic : {false, true})
      readSymbols(Dynamic);
    readNotes();
    tellAllocator();
    readRelocations();
    readCode();
    collect();
    return Error::success();
  }

private:
  using Accesses = MapVector<StringRef, unsigned>; ///< by model

  const ELF64LEObjectFile &Object;
  const ELFFile<ELF64LE> &Elf;
  BinaryFacts &B;
  std::vector<std::string> Needed;
  bool StaticTlsFlag = false, OwnInitialExec = false, Interpreter = false, Pie = false, HasName = false;
  bool AsksForLayout = false;                  ///< refers to another's fh_layout_N
  StringMap<uint64_t> Defined;                 ///< function and data symbols of interest, by address
  std::map<uint64_t, VariableFacts> Own;       ///< TLS variables by offset
  std::vector<std::string> Imports;            ///< TLS variables of other libraries
  std::map<uint64_t, Accesses> OwnAccesses;    ///< by offset reached
  std::map<uint64_t, Accesses> ImportAccesses; ///< by number of the import
  TlsCode Code;

  Error readSegments() {
    auto Parts = Elf.program_headers();
    if (!Parts)
      return Parts.takeError();
    for (const auto &P : *Parts) {
      Interpreter |= P.p_type == ELF::PT_INTERP;
      if (P.p_type == ELF::PT_TLS) {
        B.TlsSize = P.p_memsz;
        B.TlsAlign = std::max<uint64_t>(P.p_align, 1);
      }
    }
    return Error::success();
  }

  void readDynamic() {
    auto Entries = orNothing(Elf.dynamicEntries());
    if (!Entries)
      Entries = ArrayRef<ELF64LE::Dyn>();
    const char *Strings = nullptr;
    for (const auto &E : *Entries)
      if (E.d_tag == ELF::DT_STRTAB)
        if (auto Mapped = orNothing(Elf.toMappedAddr(E.d_un.d_ptr)))
          Strings = reinterpret_cast<const char *>(*Mapped);
    auto Limit = reinterpret_cast<const char *>(Elf.base() + Elf.getBufSize());
    for (const auto &E : *Entries) {
      if (E.d_tag == ELF::DT_NEEDED && Strings && Strings + E.d_un.d_val < Limit)
        Needed.push_back(
            StringRef(Strings + E.d_un.d_val, strnlen(Strings + E.d_un.d_val, Limit - Strings - E.d_un.d_val)).str());
      HasName |= E.d_tag == ELF::DT_SONAME;
      StaticTlsFlag |= E.d_tag == ELF::DT_FLAGS && (E.d_un.d_val & ELF::DF_STATIC_TLS);
      Pie |= E.d_tag == ELF::DT_FLAGS_1 && (E.d_un.d_val & ELF::DF_1_PIE);
    }
    bool Executable = Elf.getHeader().e_type == ELF::ET_EXEC || Pie || (Interpreter && !HasName);
    B.Kind = !Executable ? "library" : Interpreter ? "executable" : "static executable";
    Code.Executable = Executable;
  }

  void readSymbols(bool Dynamic) {
    B.HasSymbols |= !Dynamic && Object.symbol_begin() != Object.symbol_end();
    ELFObjectFileBase::elf_symbol_iterator_range Range =
        Dynamic ? Object.getDynamicSymbolIterators() : ELFObjectFileBase::elf_symbol_iterator_range(Object.symbols());
    for (const ELFSymbolRef &S : Range) {
      auto Name = orNothing(S.getName());
      auto Raw = orNothing(Object.getSymbol(S.getRawDataRefImpl()));
      if (!Name || !Raw)
        continue;
      StringRef Plain = Name->split('@').first;
      bool IsDefined = (*Raw)->st_shndx != ELF::SHN_UNDEF;
      if ((*Raw)->getType() != ELF::STT_TLS) {
        if (IsDefined)
          Defined.try_emplace(Plain, (*Raw)->st_value);
        else
          AsksForLayout |= Plain.starts_with("fh_layout_");
      } else if (IsDefined) {
        VariableFacts &V = Own[(*Raw)->st_value];
        // Of aliases the exported name counts, else the first.
        if (V.Name.empty() || (Dynamic && !Plain.empty()))
          V.Name = Plain.str();
        V.Offset = (*Raw)->st_value;
        V.Size = std::max<uint64_t>(V.Size, (*Raw)->st_size);
      }
    }
  }

  void readNotes() {
    auto Parts = orNothing(Elf.program_headers());
    if (!Parts)
      return;
    static const char *const Models[] = {"",        "local-exec", "initial-exec", "local-dynamic",          "global-dynamic",
                                         "tlsdesc", "key",        "table",        "initial-exec or tlsdesc"};
    for (const auto &P : *Parts) {
      Error E = Error::success();
      if (P.p_type == ELF::PT_NOTE)
        for (const auto &N : Elf.notes(P, E)) {
          ArrayRef<uint8_t> Words = N.getDesc(4);
          if (N.getName() != "Freehold" || N.getType() != 1 || Words.size() < 8)
            continue;
          B.RuntimeLayout = support::endian::read32le(Words.data());
          uint32_t Model = support::endian::read32le(Words.data() + 4);
          B.RuntimeModel = Model < std::size(Models) ? Models[Model] : "unknown";
        }
      consumeError(std::move(E));
    }
  }

  void tellAllocator() {
    auto Needs = [&](StringRef Part) {
      return std::find_if(Needed.begin(), Needed.end(), [&](StringRef N) { return N.starts_with(Part); });
    };
    bool Inside = B.RuntimeLayout != 0, OwnMalloc = Defined.count("malloc");
    bool NeedsUs = Needs("libfreehold.so") != Needed.end();
    B.Runtime = Inside ? (B.Kind == "library" ? "itself" : "inside") : NeedsUs ? "needed" : "none";
    B.Allocator = "the C library's";
    for (StringRef Known : {"libmimalloc", "libjemalloc", "libtcmalloc", "libsnmalloc", "librpmalloc", "libhoard"})
      if (auto Found = Needs(Known); Found != Needed.end())
        B.Allocator = *Found;
    if (NeedsUs)
      B.Allocator = "libfreehold.so";
    if (OwnMalloc)
      B.Allocator = Inside ? (B.Kind == "library" ? "libfreehold.so" : "libfreehold.a") : "a malloc of its own";
    else if (Inside && !NeedsUs)
      B.Allocator += "; libfreehold's local heaps beside it";
    if (!OwnMalloc && B.Kind == "static executable" && !B.HasSymbols && !Inside)
      B.Allocator = "unknown: static and stripped";
    B.InlinedPaths = Defined.count("fh_layout_reference") || (!Inside && AsksForLayout);
  }

  unsigned import(StringRef Name) {
    auto At = std::find(Imports.begin(), Imports.end(), Name);
    if (At == Imports.end())
      At = Imports.insert(At, Name.str());
    return unsigned(At - Imports.begin());
  }

  /// The word that lies at an address of the file; 0 if none does.
  uint64_t wordAt(uint64_t Address) const {
    auto Mapped = orNothing(Elf.toMappedAddr(Address));
    return Mapped && *Mapped + 8 <= Elf.base() + Elf.getBufSize() ? support::endian::read64le(*Mapped) : 0;
  }

  void relocation(uint64_t Address, uint32_t Type, StringRef Name, const ELF64LE::Sym *Symbol, int64_t Addend) {
    bool IsTls = Type != ELF::R_X86_64_GLOB_DAT, Imported = IsTls && Symbol && Symbol->st_shndx == ELF::SHN_UNDEF;
    TlsTarget Target{Imported, Imported ? import(Name) : (Symbol ? uint64_t(Symbol->st_value) : 0) + uint64_t(Addend)};
    auto Note = [&](StringRef Model, TlsTarget T) { (T.Imported ? ImportAccesses : OwnAccesses)[T.Offset].insert({Model, 0}); };
    switch (Type) {
    case ELF::R_X86_64_GLOB_DAT:
      for (unsigned I = 0; I < std::size(RewrittenCalls); ++I)
        if (Name == RewrittenCalls[I])
          Code.FunctionSlots[Address] = I;
      return;
    case ELF::R_X86_64_TPOFF64:
      Code.Slots[Address] = {TlsSlot::InitialExec, Target};
      OwnInitialExec |= !Imported;
      return Note("initial-exec", Target);
    case ELF::R_X86_64_TLSDESC:
      Code.Slots[Address] = {Symbol ? TlsSlot::Descriptor : TlsSlot::OwnDescriptor, Target};
      if (Symbol)
        Note("tlsdesc", Target);
      return;
    case ELF::R_X86_64_DTPMOD64:
      if (Symbol) {
        Code.Slots[Address] = {TlsSlot::GlobalDynamic, Target};
        return Note("global-dynamic", Target);
      }
      // A variable of the binary's own, or its whole block: the code tells.
      Code.Slots[Address] = {TlsSlot::Module, {false, wordAt(Address + 8)}};
      return;
    }
  }

  void readRelocations() {
    for (const SectionRef &Section : Object.sections()) {
      auto Header = Object.getSection(Section.getRawDataRefImpl());
      if (Header->sh_type != ELF::SHT_RELA || !(Header->sh_flags & ELF::SHF_ALLOC))
        continue;
      auto Relas = orNothing(Elf.relas(*Header));
      auto Table = orNothing(Elf.getSection(Header->sh_link));
      if (!Relas)
        continue;
      for (const auto &R : *Relas) {
        uint32_t Type = R.getType(false);
        if (Type != ELF::R_X86_64_TPOFF64 && Type != ELF::R_X86_64_TLSDESC && Type != ELF::R_X86_64_DTPMOD64 &&
            Type != ELF::R_X86_64_GLOB_DAT)
          continue;
        const ELF64LE::Sym *Symbol = nullptr;
        StringRef Name;
        if (Table && R.getSymbol(false) != 0) {
          Symbol = orNothing(Elf.getRelocationSymbol(R, *Table)).value_or(nullptr);
          if (auto Strings = orNothing(Elf.getStringTableForSymtab(**Table)); Strings && Symbol)
            Name = orNothing(Symbol->getName(*Strings)).value_or("");
        }
        relocation(R.r_offset, Type, Name, Symbol, R.r_addend);
      }
    }
  }

  void readCode() {
    std::vector<unsigned> Counts(std::size(RewrittenCalls));
    for (unsigned I = 0; I < std::size(RewrittenCalls); ++I)
      if (auto At = Defined.find(RewrittenCalls[I]); At != Defined.end())
        Code.Functions[At->second] = I;
    for (const ELFPltEntry &Entry : Object.getPltEntries()) {
      if (!Entry.Symbol)
        continue;
      auto Name = orNothing(SymbolRef(*Entry.Symbol, &Object).getName());
      for (unsigned I = 0; I < std::size(RewrittenCalls); ++I)
        if (Name && *Name == RewrittenCalls[I])
          Code.Functions[Entry.Address] = I;
    }
    Code.BlockSize = B.TlsSize;
    Code.BlockAlign = B.TlsAlign;
    Code.Found = [&](TlsTarget T, StringRef Model) { ++(T.Imported ? ImportAccesses : OwnAccesses)[T.Offset][Model]; };
    Code.Called = [&](unsigned Function) { ++Counts[Function]; };
    if (B.TlsSize || !Code.Slots.empty() || !Code.Functions.empty() || !Code.FunctionSlots.empty())
      if (auto Parts = orNothing(Elf.program_headers()))
        for (const auto &P : *Parts)
          if (P.p_type == ELF::PT_LOAD && (P.p_flags & ELF::PF_X) && P.p_offset + P.p_filesz <= Elf.getBufSize())
            scanCode(Code, P.p_vaddr, ArrayRef<uint8_t>(Elf.base() + P.p_offset, P.p_filesz));
    for (unsigned I = 0; I < std::size(RewrittenCalls); ++I)
      if (Counts[I])
        B.Rewritten.push_back({RewrittenCalls[I], Counts[I]});
    B.InlinedPaths |= Counts[0] != 0; // the slow path that inlined code alone calls
  }

  static void add(VariableFacts &V, const Accesses &Models) {
    for (const auto &Entry : Models) {
      auto Same = [&](const AccessFacts &A) { return A.Model == Entry.first; };
      auto Known = std::find_if(V.Accesses.begin(), V.Accesses.end(), Same);
      if (Known == V.Accesses.end())
        V.Accesses.push_back({Entry.first.str(), Entry.second});
      else
        Known->Count += Entry.second;
    }
  }

  /// The variable that an offset lies in: accesses go to members and elements too.
  VariableFacts &variableAt(uint64_t Offset) {
    auto After = Own.upper_bound(Offset);
    if (After != Own.begin()) {
      VariableFacts &V = std::prev(After)->second;
      if (Offset == V.Offset || Offset < V.Offset + V.Size)
        return V;
    }
    VariableFacts &V = Own[Offset];
    V.Offset = Offset;
    return V;
  }

  void collect() {
    for (const auto &[Offset, Models] : OwnAccesses)
      add(variableAt(Offset), Models);
    for (auto &[Offset, V] : Own)
      B.Variables.push_back(std::move(V));
    for (unsigned I = 0; I < Imports.size(); ++I) {
      VariableFacts V;
      V.Name = Imports[I];
      V.Imported = true;
      add(V, ImportAccesses[I]);
      B.Variables.push_back(std::move(V));
    }
    for (VariableFacts &V : B.Variables)
      std::sort(V.Accesses.begin(), V.Accesses.end(),
                [](const AccessFacts &X, const AccessFacts &Y) { return X.Model < Y.Model; });
    B.NeedsStaticTls = B.Kind == "library" && (OwnInitialExec || StaticTlsFlag) ? B.TlsSize : 0;
  }
};

Error wrongKind(const std::string &File, const Twine &Why) { return inputError("cannot read '" + File + "': " + Why); }

} // namespace

Expected<BinaryFacts> examineBinary(const std::string &File) {
  auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return wrongKind(File, Buffer.getError().message());
  StringRef Bytes = (*Buffer)->getBuffer();
  if (identify_magic(Bytes) == file_magic::archive)
    return wrongKind(File, "an archive; give the program or library that it is linked into");
  if (!Bytes.starts_with("\177ELF"))
    return wrongKind(File, "not an ELF executable or library");
  auto Object = ObjectFile::createELFObjectFile((*Buffer)->getMemBufferRef(), /*InitContent=*/true);
  if (!Object)
    return wrongKind(File, toString(Object.takeError()));
  const auto *Elf = dyn_cast<ELF64LEObjectFile>(Object->get());
  if (!Elf || Elf->getELFFile().getHeader().e_machine != ELF::EM_X86_64)
    return wrongKind(File, "for another machine (" + (*Object)->getFileFormatName() + "), not x86-64");
  uint16_t Type = Elf->getELFFile().getHeader().e_type;
  if (Type == ELF::ET_REL)
    return wrongKind(File, "an object file; give the program or library that it is linked into");
  if (Type != ELF::ET_EXEC && Type != ELF::ET_DYN)
    return wrongKind(File, "an ELF file, but neither executable nor library");
  BinaryFacts B;
  B.File = File;
  if (Error E = Examiner(*Elf, B).run())
    return wrongKind(File, toString(std::move(E)));
  return B;
}

} // namespace freehold
