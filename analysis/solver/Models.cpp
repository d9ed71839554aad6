// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models.cpp - reads models/*.yaml. Effects are parsed while YAMLIO reads them, so that a fault is reported at its line.
#include "solver/Models.h"
#include "summary/Nesting.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>

namespace freehold {
namespace {

using llvm::StringRef;

/// What one entry of the file says.
struct Entry {
  StringRef Name, Type;
  std::vector<std::string> Aliases;
  std::vector<Effect> Effects;
};

/// The words of one effect, in order. Faults are remembered, the first one counts.
class EffectParser {
public:
  explicit EffectParser(StringRef Text) : Rest(Text.trim()) {}
  Effect parse();
  std::string Fault;

private:
  StringRef Rest;

  void fail(const llvm::Twine &What) {
    if (Fault.empty())
      Fault = What.str();
  }
  void space() { Rest = Rest.ltrim(); }
  bool eat(StringRef Token) {
    space();
    return Rest.consume_front(Token);
  }
  StringRef word() {
    space();
    StringRef W = Rest.take_while([](char C) { return llvm::isAlnum(C) || C == '-' || C == '_'; });
    Rest = Rest.drop_front(W.size());
    return W;
  }
  unsigned number() {
    unsigned N = 0;
    if (Rest.consumeInteger(10, N) || N > 255)
      fail("expected an argument number at '" + Rest + "'");
    return N;
  }
  unsigned argument() {
    if (!eat("a"))
      fail("expected an argument such as a0 at '" + Rest + "'");
    return number();
  }
  Operand operand();
  Operand place() {
    Operand O = operand();
    if (!O.Deref)
      fail("expected a place such as *a0");
    return O;
  }
  void arguments(Effect &E);
  void list(Effect &E);
  void options(Effect &E);
  void operands(Effect &E);
};

Operand EffectParser::operand() {
  Operand O;
  O.Deref = eat("*");
  space();
  StringRef Before = Rest, W = word();
  unsigned N = 0;
  if (W == "r")
    O.K = Operand::Result;
  else if (W.size() > 1 && W[0] == 'a' && !W.drop_front().getAsInteger(10, N) && N < 256) {
    O.K = Operand::Arg;
    O.N = N;
  } else {
    O.K = llvm::StringSwitch<Operand::Kind>(W)
              .Case("external", Operand::External)
              .Case("scalar", Operand::Scalar)
              .Case("static", Operand::Static)
              .Case("private", Operand::Private)
              .Default(Operand::Absent);
    if (O.K == Operand::Absent || O.Deref)
      fail("expected an operand at '" + Before + "'");
  }
  if (Rest.consume_front("+?"))
    O.AnyOffset = true;
  return O;
}

void EffectParser::arguments(Effect &E) {
  if (!eat("("))
    return fail("expected '(' and the arguments of the call");
  while (Fault.empty() && !eat(")")) {
    E.Args.push_back(operand());
    eat(",");
  }
}

/// One operand or more, without commas.
void EffectParser::list(Effect &E) {
  do
    if (eat("..."))
      E.Anonymous = true;
    else
      E.Args.push_back(operand());
  while (Fault.empty() && !Rest.trim().empty());
}

void EffectParser::options(Effect &E) {
  bool Fresh = E.Kind == EffectKind::Alloc || E.Kind == EffectKind::Realloc;
  bool Sized = Fresh || E.Kind == EffectKind::Copies || E.Kind == EffectKind::Writes || E.Kind == EffectKind::Zeroes ||
               E.Kind == EffectKind::BytesIn || E.Kind == EffectKind::BytesOut || E.Kind == EffectKind::Reads ||
               E.Kind == EffectKind::Fills;
  bool Coded = E.Kind == EffectKind::Keeps || E.Kind == EffectKind::BytesOut || E.Kind == EffectKind::Format;
  for (space(); Fault.empty() && !Rest.empty(); space()) {
    if (Sized && eat("size=")) {
      if (!Fresh && !Rest.empty() && llvm::isDigit(Rest[0])) {
        if (Rest.consumeInteger(10, E.FixedSize) || E.FixedSize == 0)
          fail("expected a number of bytes");
        continue;
      }
      E.Size = argument();
      if (Fresh && eat("*"))
        E.SizeFactor = argument();
    } else if (Fresh && eat("zeroed")) {
      E.Zeroed = true;
    } else if (Fresh && eat("family=")) {
      E.Family = word().str();
    } else if (Fresh && eat("rewritable")) {
      E.Rewritable = true;
    } else if (Coded && eat("FH")) {
      if (Rest.consumeInteger(10, E.Code))
        fail("expected a reason code such as FH302");
    } else {
      fail("unexpected '" + Rest + "'");
    }
  }
}

void EffectParser::operands(Effect &E) {
  switch (E.Kind) {
  case EffectKind::Alloc:
    E.A = operand();
    if (E.A.K != Operand::Result && !E.A.Deref)
      fail("alloc gives r or *aN");
    return;
  case EffectKind::Realloc:
    E.A = operand();
    E.B = operand();
    return;
  case EffectKind::Stores:
    E.A = operand();
    if (!eat("in"))
      fail("expected 'in'");
    E.B = place();
    return;
  case EffectKind::Copies:
    E.A = place();
    if (!eat("to"))
      fail("expected 'to'");
    E.B = place();
    return;
  case EffectKind::Calls:
  case EffectKind::Spawns:
    E.A = operand();
    return arguments(E);
  case EffectKind::Joins:
    E.A = place();
    return;
  case EffectKind::Format:
  case EffectKind::Scan:
    E.A = operand();
    if (!eat("args="))
      return fail("expected args=");
    eat("a");
    E.FirstVararg = number();
    return;
  case EffectKind::Dies:
  case EffectKind::Exposes:
    return list(E);
  case EffectKind::KeyGet:
  case EffectKind::EntersLibrary:
  case EffectKind::Nothing:
    return;
  default:
    E.A = operand();
    if (E.A.K == Operand::Result && E.A.Deref)
      fail("the memory of the result is r; *r is what the pointer in it leads to");
  }
}

Effect EffectParser::parse() {
  Effect E;
  StringRef Verb = word();
  auto Kind = llvm::StringSwitch<std::optional<EffectKind>>(Verb)
                  .Case("alloc", EffectKind::Alloc)
                  .Case("realloc", EffectKind::Realloc)
                  .Case("frees", EffectKind::Frees)
                  .Case("returns", EffectKind::Returns)
                  .Case("stores", EffectKind::Stores)
                  .Case("copies", EffectKind::Copies)
                  .Case("reads", EffectKind::Reads)
                  .Case("writes", EffectKind::Writes)
                  .Case("fills", EffectKind::Fills)
                  .Case("dies", EffectKind::Dies)
                  .Case("enters-library", EffectKind::EntersLibrary)
                  .Case("zeroes", EffectKind::Zeroes)
                  .Case("bytes-out", EffectKind::BytesOut)
                  .Case("bytes-in", EffectKind::BytesIn)
                  .Case("keeps", EffectKind::Keeps)
                  .Case("calls", EffectKind::Calls)
                  .Case("spawns", EffectKind::Spawns)
                  .Case("exits-thread", EffectKind::ExitsThread)
                  .Case("joins", EffectKind::Joins)
                  .Case("key-set", EffectKind::KeySet)
                  .Case("key-get", EffectKind::KeyGet)
                  .Case("key-dtor", EffectKind::KeyDtor)
                  .Case("format", EffectKind::Format)
                  .Case("scan", EffectKind::Scan)
                  .Case("exposes", EffectKind::Exposes)
                  .Case("nothing", EffectKind::Nothing)
                  .Default(std::nullopt);
  if (!Kind) {
    fail("unknown effect '" + Verb + "'");
    return E;
  }
  E.Kind = *Kind;
  if (E.Kind == EffectKind::Keeps)
    E.Code = 302;
  if (E.Kind == EffectKind::BytesOut)
    E.Code = 304;
  if (E.Kind == EffectKind::Format || E.Kind == EffectKind::Exposes)
    E.Code = 201;
  operands(E);
  options(E);
  return E;
}

/// "i(ppfn.)": result class, parameter classes, variadic dot.
struct Prototype {
  bool Valid = false, Variadic = false;
  size_t Params = 0;
};

Prototype parseType(StringRef Type) {
  Prototype P;
  if (Type.size() < 3 || !StringRef("pfindv").contains(Type[0]) || Type[1] != '(' || Type.back() != ')')
    return P;
  StringRef Params = Type.slice(2, Type.size() - 1);
  P.Variadic = Params.consume_back(".");
  P.Params = Params.size();
  P.Valid = Params.find_first_not_of("pfind") == StringRef::npos;
  return P;
}

/// The first argument number an effect uses beyond those the prototype has, if any.
std::optional<unsigned> beyond(const Effect &E, const Prototype &T) {
  auto Check = [&](const Operand &O) { return O.K == Operand::Arg && O.N >= T.Params; };
  if (Check(E.A))
    return E.A.N;
  if (Check(E.B))
    return E.B.N;
  for (const Operand &O : E.Args)
    if (Check(O))
      return O.N;
  if (E.Size && *E.Size >= T.Params)
    return *E.Size;
  if (E.SizeFactor && *E.SizeFactor >= T.Params)
    return *E.SizeFactor;
  return std::nullopt;
}

/// Fills in what the effects leave unclassed.
class Classing {
public:
  explicit Classing(Model &M) : M(M), T(parseType(M.Type)), Value(T.Params), Contents(T.Params) {}
  void run() {
    bool Result = M.Type[0] == 'v', Variadic = !T.Variadic;
    for (const Effect &E : M.Effects) {
      look(E);
      Result |= E.Kind == EffectKind::Returns || E.Kind == EffectKind::KeyGet || E.A.K == Operand::Result;
      Variadic |= E.Kind == EffectKind::Format || E.Kind == EffectKind::Scan || (E.Anonymous && E.Kind == EffectKind::Dies);
    }
    for (unsigned N = 0; N < T.Params; ++N) {
      bool Leads = M.Type[N + 2] == 'p' || M.Type[N + 2] == 'f';
      if (!Value[N] || (Leads && !Contents[N]))
        M.Exposed.push_back(N);
    }
    M.ResultExternal = !Result;
    if (!Variadic)
      M.VariadicExposed = T.Params;
  }

private:
  Model &M;
  Prototype T;
  std::vector<bool> Value, Contents;

  void classes(const Operand &O, bool ValueOnly) {
    if (O.K != Operand::Arg)
      return;
    Value[O.N] = true;
    if (!ValueOnly || O.Deref)
      Contents[O.N] = true;
  }
  void look(const Effect &E) {
    bool Moves = E.Kind == EffectKind::Returns || E.Kind == EffectKind::Stores;
    classes(E.A, Moves);
    classes(E.B, false);
    for (const Operand &O : E.Args)
      classes(O, false);
  }
};

struct ReadContext {
  std::string Fault; // keeps a message alive while YAMLIO prints it
  StringRef FileName;
  llvm::StringMap<std::string> *Taken; // names with their file
};

/// YAML's blocks nest by indentation and by dashes: a line that begins with more of them than this is refused.
constexpr size_t LongestMargin = 200;
constexpr unsigned DeepestFlow = 100;

std::optional<unsigned> tooDeep(StringRef Text) {
  if (std::optional<unsigned> Line = deepNesting(Text, YAMLNesting, DeepestFlow))
    return Line;
  unsigned Number = 0;
  for (StringRef Line; !Text.empty() && ++Number;) {
    std::tie(Line, Text) = Text.split('\n');
    if (std::min(Line.find_first_not_of(" \t-?:"), Line.size()) > LongestMargin)
      return Number;
  }
  return std::nullopt;
}

} // namespace
} // namespace freehold

LLVM_YAML_IS_SEQUENCE_VECTOR(freehold::Entry)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(freehold::Effect)

namespace llvm::yaml {

template <> struct ScalarTraits<freehold::Effect> {
  static void output(const freehold::Effect &, void *, raw_ostream &) {}
  static StringRef input(StringRef Text, void *Context, freehold::Effect &E) {
    freehold::EffectParser Parser(Text);
    E = Parser.parse();
    std::string &Fault = static_cast<freehold::ReadContext *>(Context)->Fault;
    if (!Parser.Fault.empty())
      Fault = Parser.Fault + " in '" + Text.str() + "'";
    return Parser.Fault.empty() ? StringRef() : StringRef(Fault);
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::Single; }
};

template <> struct MappingTraits<freehold::Entry> {
  static void mapping(IO &Io, freehold::Entry &E) {
    Io.mapRequired("name", E.Name);
    Io.mapOptional("aliases", E.Aliases);
    Io.mapRequired("type", E.Type);
    Io.mapRequired("effects", E.Effects);
    freehold::Prototype T = freehold::parseType(E.Type);
    if (!T.Valid)
      return Io.setError("type of " + E.Name + " is not of the form i(ppfn.)");
    for (const freehold::Effect &F : E.Effects)
      if (auto N = freehold::beyond(F, T))
        return Io.setError("an effect of " + E.Name + " uses a" + Twine(*N) + ", which its type does not have");
    if (E.Effects.empty())
      return Io.setError(E.Name + " has no effects; write 'nothing'");
    auto *Context = static_cast<freehold::ReadContext *>(Io.getContext());
    auto Take = [&](StringRef Name) {
      auto [It, New] = Context->Taken->try_emplace(Name, Context->FileName);
      if (!New)
        Io.setError(Name + " has two models" +
                    (It->second == Context->FileName ? Twine() : "; the other one is in " + Twine(It->second)));
    };
    Take(E.Name);
    for (const std::string &Name : E.Aliases)
      Take(Name);
  }
};

} // namespace llvm::yaml

namespace freehold {

static void rememberFault(const llvm::SMDiagnostic &D, void *Context) {
  std::string &Out = *static_cast<std::string *>(Context);
  if (Out.empty())
    Out = (D.getFilename() + ":" + llvm::Twine(D.getLineNo()) + ": " + D.getMessage()).str();
}

llvm::Error Models::add(llvm::StringRef Text, llvm::StringRef FileName) {
  if (std::optional<unsigned> Line = tooDeep(Text))
    return llvm::createStringError(FileName + ":" + llvm::Twine(*Line) + ": nested too deeply");
  ReadContext Context{{}, FileName, &FolderNames};
  std::string Fault;
  std::vector<Entry> Entries;
  llvm::yaml::Input In(llvm::MemoryBufferRef(Text, FileName), &Context, rememberFault, &Fault);
  In >> Entries;
  if (In.error())
    return llvm::createStringError(In.error(), Fault.empty() ? FileName.str() + ": cannot be read" : Fault);
  for (Entry &E : Entries) {
    Index Id = All.size();
    All.emplace_back();
    All[Id].Name = E.Name.str();
    All[Id].Type = E.Type.str();
    All[Id].Effects = std::move(E.Effects);
    Classing(All[Id]).run();
    E.Aliases.insert(E.Aliases.begin(), E.Name.str());
    for (const std::string &Name : E.Aliases)
      ByName[Name] = Id;
  }
  return llvm::Error::success();
}

llvm::Error Models::addFolder(llvm::StringRef Directory) {
  std::vector<std::string> Files;
  std::error_code Code;
  for (llvm::sys::fs::directory_iterator I(Directory, Code), End; I != End && !Code; I.increment(Code))
    if (llvm::sys::path::extension(I->path()) == ".yaml")
      Files.push_back(I->path());
  if (Code)
    return llvm::createStringError(Code, Directory + ": " + Code.message());
  if (Files.empty())
    return llvm::createStringError("no models (*.yaml) in '" + Directory + "'");
  std::sort(Files.begin(), Files.end());
  FolderNames.clear();
  for (const std::string &File : Files) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (!Buffer)
      return llvm::createStringError(Buffer.getError(), File + ": " + Buffer.getError().message());
    if (llvm::Error E = add((*Buffer)->getBuffer(), File))
      return E;
  }
  return llvm::Error::success();
}

llvm::Expected<Models> Models::load(llvm::StringRef Directory) {
  Models M;
  if (llvm::Error E = M.addFolder(Directory))
    return std::move(E);
  return std::move(M);
}

const Model *Models::find(llvm::StringRef LinkageName) const {
  auto It = ByName.find(LinkageName);
  return It == ByName.end() ? nullptr : &All[It->second];
}

const Model *Models::find(llvm::StringRef LinkageName, size_t NumArgs) const {
  const Model *M = find(LinkageName);
  if (!M)
    return nullptr;
  Prototype T = parseType(M->Type);
  return NumArgs == T.Params || (T.Variadic && NumArgs > T.Params) ? M : nullptr;
}

} // namespace freehold
