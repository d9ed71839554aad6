// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects.cpp - reading ELF objects and archives, comparing the two halves of a fat object (see Objects.h).
//
// The comparison errs on one side only: a difference seen where there is none costs the optimisation of that object, never its
// meaning. So names that code generation adds by itself are excused by a short list, and everything else counts as a change.
#include "Objects.h"
#include "Bitcode.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace freehold::cc {

namespace {
/// A file mapped for reading.
class Mapped {
  void *Base = MAP_FAILED;
  size_t Size = 0;

public:
  explicit Mapped(const std::string &Path) {
    int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat S;
    if (Fd >= 0 && fstat(Fd, &S) == 0 && S_ISREG(S.st_mode) && S.st_size > 0) {
      Size = size_t(S.st_size);
      Base = mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, Fd, 0);
    }
    if (Fd >= 0)
      close(Fd);
  }
  Mapped(const Mapped &) = delete;
  ~Mapped() {
    if (Base != MAP_FAILED)
      munmap(Base, Size);
  }
  std::string_view data() const {
    return Base == MAP_FAILED ? std::string_view() : std::string_view(static_cast<char *>(Base), Size);
  }
};

struct NativeSymbol {
  bool Undefined, Weak;
  unsigned Visibility;
};

/// A 64-bit little-endian ELF file; every access is bounds-checked, a broken file merely has no sections.
class Elf {
  std::string_view Data;
  Elf64_Ehdr Head = {};
  std::vector<Elf64_Shdr> Sections;

public:
  explicit Elf(std::string_view Data) : Data(Data) {
    if (Data.size() < sizeof Head || memcmp(Data.data(), ELFMAG, SELFMAG) != 0)
      return;
    memcpy(&Head, Data.data(), sizeof Head);
    if (Head.e_ident[EI_CLASS] != ELFCLASS64 || Head.e_ident[EI_DATA] != ELFDATA2LSB || Head.e_shentsize != sizeof(Elf64_Shdr))
      return;
    auto Read = [&](size_t I, Elf64_Shdr &S) {
      if (Head.e_shoff > Data.size() || (Data.size() - Head.e_shoff) / sizeof S <= I)
        return false;
      memcpy(&S, Data.data() + Head.e_shoff + I * sizeof S, sizeof S);
      return true;
    };
    Elf64_Shdr First;
    if (!Head.e_shoff || !Read(0, First))
      return;
    size_t Count = Head.e_shnum ? Head.e_shnum : First.sh_size;
    for (size_t I = 0; I < Count; ++I) {
      Elf64_Shdr S;
      if (!Read(I, S)) {
        Sections.clear();
        return;
      }
      Sections.push_back(S);
    }
  }
  bool good() const { return !Sections.empty(); }
  unsigned type() const { return Head.e_type; }
  std::string_view body(const Elf64_Shdr &S) const {
    if (S.sh_type == SHT_NOBITS || S.sh_offset > Data.size() || S.sh_size > Data.size() - S.sh_offset)
      return {};
    return Data.substr(S.sh_offset, S.sh_size);
  }
  static std::string_view textAt(std::string_view Table, size_t At) {
    if (At >= Table.size())
      return {};
    return Table.substr(At, Table.find('\0', At) - At);
  }
  std::string_view name(const Elf64_Shdr &S) const {
    size_t Index = Head.e_shstrndx == SHN_XINDEX ? Sections[0].sh_link : Head.e_shstrndx;
    return Index < Sections.size() ? textAt(body(Sections[Index]), S.sh_name) : std::string_view();
  }
  const std::vector<Elf64_Shdr> &sections() const { return Sections; }

  template <typename Function> void symbols(unsigned TableType, Function F) const {
    for (const Elf64_Shdr &S : Sections) {
      if (S.sh_type != TableType || S.sh_link >= Sections.size())
        continue;
      std::string_view Table = body(S), Names = body(Sections[S.sh_link]);
      for (size_t At = sizeof(Elf64_Sym); At + sizeof(Elf64_Sym) <= Table.size(); At += sizeof(Elf64_Sym)) {
        Elf64_Sym Symbol;
        memcpy(&Symbol, Table.data() + At, sizeof Symbol);
        if (ELF64_ST_BIND(Symbol.st_info) != STB_LOCAL)
          F(textAt(Names, Symbol.st_name), Symbol);
      }
    }
  }
};
} // namespace

/// What code generation may refer to without the source or the IR doing so.
static bool isCompilersOwn(std::string_view Name) {
  if (Name.empty() || Name[0] == '_')
    return true;
  return isWord(
      Name, "mcount memcpy memmove memset memcmp bcmp bzero mempcpy memchr memccpy strlen strnlen strcpy stpcpy strncpy stpncpy "
            "strcmp strncmp strchr strrchr strcat strncat strtol atoi putchar puts fputs fputc putc fwrite fputs_unlocked "
            "fputc_unlocked fwrite_unlocked putchar_unlocked calloc malloc strdup abort fmod fmodf fmodl sqrt sqrtf sqrtl "
            "exp expf expl exp2 exp2f exp2l exp10 exp10f exp10l log logf logl log2 log2f log2l log10 log10f log10l pow powf "
            "powl sin sinf sinl cos cosf cosl tan tanf tanl sincos sincosf sincosl sincospi sincospif floor floorf floorl "
            "ceil ceilf ceill trunc truncf truncl rint rintf rintl nearbyint nearbyintf nearbyintl round roundf roundl "
            "roundeven roundevenf roundevenl lround lroundf lroundl llround llroundf llroundl lrint lrintf lrintl llrint "
            "llrintf llrintl fmin fminf fminl fmax fmaxf fmaxl fabs fabsf fabsl fma fmaf fmal ldexp ldexpf ldexpl frexp "
            "frexpf frexpl ffs sinh cosh tanh asin acos atan cbrt copysign copysignf copysignl");
}

static std::string compareHalves(const std::map<std::string, NativeSymbol> &Native, const BitcodeFile &Bitcode) {
  if (Bitcode.Concatenated)
    return "several objects were joined with ld -r";
  if (!Bitcode.Valid)
    return ""; // not our LLVM's: the linker says what it thinks of it
  std::map<std::string_view, const BitcodeSymbol *> Other;
  for (const BitcodeSymbol &S : Bitcode.Symbols)
    if (S.Global)
      Other[S.Name] = &S;
  for (const auto &[Name, N] : Native) {
    auto Found = Other.find(Name);
    if (Found == Other.end()) {
      if (N.Undefined ? isCompilersOwn(Name) : Name.compare(0, 3, "DW.") == 0 || Name.compare(0, 2, "__") == 0)
        continue;
      return "'" + Name + "' is in its native code only";
    }
    const BitcodeSymbol &B = *Found->second;
    if (N.Undefined != B.Undefined)
      return "'" + Name + "' is defined in one half only";
    if (!N.Undefined && (N.Weak != B.Weak || N.Visibility != B.Visibility) && !B.Common)
      return "'" + Name + "' changed its binding or visibility";
  }
  for (const auto &[Name, B] : Other)
    if (!B->Undefined && !B->Weak && !B->MayOmit && !Native.count(std::string(Name)) &&
        !Native.count("__emutls_v." + std::string(Name)))
      return "'" + std::string(Name) + "' is in its bitcode only";
  return "";
}

/// Bitcode keeps its strings as bytes.
static bool hasSummary(std::string_view Bitcode) { return Bitcode.find("fh-summary ") != std::string_view::npos; }

static void inspectElf(std::string_view Data, InputFacts &Facts) {
  if (isBitcode(Data)) {
    Facts.Bitcode = Facts.BitcodeOnly = true;
    Facts.Foreign |= !hasSummary(Data);
    for (const BitcodeSymbol &S : readBitcode(Data).Symbols) {
      Facts.DefinesMalloc |= !S.Undefined && S.Name == "malloc";
      (S.Undefined ? Facts.Needs : Facts.Ours).emplace(S.Name);
    }
    Facts.Needs.insert({"memcpy", "memmove", "memset"}); // what intrinsics become is no symbol of bitcode
    return;
  }
  Elf File(Data);
  if (!File.good())
    return;
  Facts.Shared = File.type() == ET_DYN;
  if (Facts.Shared) {
    File.symbols(SHT_DYNSYM, [&](std::string_view Name, const Elf64_Sym &S) {
      Facts.DefinesMalloc |= S.st_shndx != SHN_UNDEF && Name == "malloc";
      if (S.st_shndx != SHN_UNDEF)
        Facts.Plain.emplace(Name);
    });
    return;
  }
  std::string_view Bitcode;
  for (const Elf64_Shdr &S : File.sections()) {
    std::string_view Name = File.name(S);
    if (Name == ".llvm.lto")
      Bitcode = File.body(S);
    else if (Name == ".debug_info")
      Facts.Debug = true;
  }
  std::map<std::string, NativeSymbol> Native;
  File.symbols(SHT_SYMTAB, [&](std::string_view Name, const Elf64_Sym &S) {
    bool Undefined = S.st_shndx == SHN_UNDEF;
    Facts.DefinesMalloc |= !Undefined && Name == "malloc" && ELF64_ST_VISIBILITY(S.st_other) != STV_INTERNAL;
    if (Bitcode.empty() && !Undefined)
      Facts.Plain.emplace(Name);
    if (Bitcode.empty())
      return;
    (Undefined ? Facts.Needs : Facts.Ours).emplace(Name);
    Native.emplace(Name,
                   NativeSymbol{Undefined, ELF64_ST_BIND(S.st_info) == STB_WEAK, unsigned(ELF64_ST_VISIBILITY(S.st_other))});
  });
  if (Bitcode.empty()) {
    Facts.NoBitcode = true;
    return;
  }
  Facts.Bitcode = true;
  Facts.Foreign |= !hasSummary(Bitcode);
  BitcodeFile Other = readBitcode(Bitcode);
  for (const BitcodeSymbol &S : Other.Symbols)
    if (S.Undefined)
      Facts.Needs.emplace(S.Name);
  if (Facts.Difference.empty()) // the first one is enough, all of an archive is plain then
    Facts.Difference = compareHalves(Native, Other);
}

/// Calls F(name, body) for every member; binutils' and LLVM's archives. False if the archive is broken.
template <typename Function> static bool forMembers(std::string_view Data, bool Thin, Function F) {
  std::string_view LongNames;
  for (size_t At = 8; At + 60 <= Data.size();) {
    std::string Head(Data.substr(At, 60));
    if (Head[58] != '`')
      return false;
    size_t Size = strtoul(Head.substr(48, 10).c_str(), nullptr, 10);
    std::string Name = Head.substr(0, 16);
    Name.erase(Name.find_last_not_of(' ') + 1);
    bool Special = Name == "/" || Name == "//" || Name == "/SYM64/";
    size_t Stored = Thin && !Special ? 0 : Size;
    if (Stored > Data.size() - At - 60)
      return false;
    std::string_view Body = Data.substr(At + 60, Stored);
    if (Name == "//")
      LongNames = Body;
    else if (!Special) {
      if (Name[0] == '/') {
        size_t Begin = std::min<size_t>(strtoul(Name.c_str() + 1, nullptr, 10), LongNames.size());
        Name = LongNames.substr(Begin, LongNames.find('\n', Begin) - Begin);
      }
      if (!Name.empty() && Name.back() == '/')
        Name.pop_back();
      F(Name, Body);
    }
    At += 60 + Stored + Stored % 2;
  }
  return true;
}

InputFacts inspect(const std::string &Path) {
  InputFacts Facts;
  Mapped File(Path);
  std::string_view Data = File.data();
  Facts.Thin = Data.substr(0, 8) == "!<thin>\n";
  Facts.Archive = Facts.Thin || Data.substr(0, 8) == "!<arch>\n";
  if (!Facts.Archive) {
    inspectElf(Data, Facts);
    return Facts;
  }
  forMembers(Data, Facts.Thin, [&](const std::string &Name, std::string_view Body) {
    if (!Facts.Thin)
      return inspectElf(Body, Facts);
    Mapped Member(Name[0] == '/' ? Name : folderName(Path) + "/" + Name);
    inspectElf(Member.data(), Facts);
  });
  Facts.Shared = false;
  return Facts;
}

bool extractBitcode(const std::string &Object, const std::string &Path) {
  Mapped File(Object);
  Elf Data(File.data());
  for (const Elf64_Shdr &S : Data.sections())
    if (Data.name(S) == ".llvm.lto")
      return writeFile(Path, std::string(Data.body(S)));
  return false;
}

Strings extractMembers(const std::string &Archive, const std::string &Folder) {
  Mapped File(Archive);
  Strings Result;
  bool Good = File.data().substr(0, 8) == "!<arch>\n";
  Good = Good && forMembers(File.data(), false, [&](const std::string &Name, std::string_view Body) {
           Result.push_back(Folder + "/" + std::to_string(Result.size()) + "-" + fileName(Name));
           Good &= writeFile(Result.back(), std::string(Body));
         });
  return Good ? Result : Strings();
}

} // namespace freehold::cc
