// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs.cpp - see Inputs.h. A damaged input is an error with its name, never a partial answer: a module left out would make
// verdicts about the others wrong.

#include "Inputs.h"
#include "Scratch.h"
#include "summary/Nesting.h"
#include "summary/SummaryBuilder.h"
#include "summary/SummaryIO.h"
#include "transform/Capture.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

namespace freehold {
namespace {

constexpr char SummaryMetadata[] = "freehold.summary";
constexpr char BitcodeSection[] = ".llvm.lto";

class Reader {
public:
  explicit Reader(Inputs &Out) : Out(Out) {}
  Error file(StringRef FileName);
  Error compileCommands(StringRef FileName);
  Error source(const CompileJob &Job);

private:
  Inputs &Out;
  ScratchFolder Folder;
  unsigned Compiled = 0;

  Error content(MemoryBufferRef Buffer, StringRef Name, bool InArchive);
  Error bitcode(MemoryBufferRef Buffer, StringRef Name);
  Error archive(MemoryBufferRef Buffer, StringRef Name);
  Error object(MemoryBufferRef Buffer, StringRef Name);
  Error plainObject(const object::ObjectFile &O, StringRef Name);
  Error module(llvm::Module &M, StringRef Name);
};

Error damaged(StringRef Name, Error E) { return inputError("cannot read '" + Name + "': " + toString(std::move(E))); }

/// IR as the front end made it keeps all locals in memory; the builder reads values. Harmless where the optimiser ran.
void promote(llvm::Module &M) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  createModuleToFunctionPassAdaptor(std::move(FPM)).run(M, MAM);
}

/// The module must be whole in memory. A stored summary is preferred: it was made before inlining.
Error Reader::module(llvm::Module &M, StringRef Name) {
  if (NamedMDNode *Stored = M.getNamedMetadata(SummaryMetadata)) {
    for (const MDNode *Node : Stored->operands()) {
      const auto *Text = Node->getNumOperands() ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
      if (!Text)
        return inputError("cannot read '" + Name + "': damaged summary");
      Expected<freehold::Module> Summary = readSummary(Text->getString());
      if (!Summary)
        return damaged(Name, Summary.takeError());
      Out.Modules.push_back(std::move(*Summary));
    }
    Expected<std::optional<Resolution>> Link = readCapture(M);
    if (!Link)
      return damaged(Name, Link.takeError());
    if (*Link)
      Out.Link = std::move(**Link);
    return Error::success();
  }
  if (Error E = M.materializeAll())
    return damaged(Name, std::move(E));
  std::string Text;
  raw_string_ostream OS(Text);
  if (verifyModule(M, &OS))
    return inputError("cannot read '" + Name + "': invalid IR: " + StringRef(Text).split('\n').first);
  promote(M);
  assignIds(M);
  Out.Modules.push_back(buildSummary(M));
  return Error::success();
}

Error Reader::bitcode(MemoryBufferRef Buffer, StringRef Name) {
  Expected<std::vector<BitcodeModule>> List = getBitcodeModuleList(Buffer);
  if (!List)
    return damaged(Name, List.takeError());
  for (BitcodeModule &BM : *List) {
    LLVMContext Context;
    Context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {}); // what matters comes back as an error
    Expected<std::unique_ptr<llvm::Module>> M =
        BM.getLazyModule(Context, /*ShouldLazyLoadMetadata=*/false, /*IsImporting=*/false);
    if (!M)
      return damaged(Name, M.takeError());
    if (Error E = module(**M, Name))
      return E;
  }
  return Error::success();
}

Error Reader::archive(MemoryBufferRef Buffer, StringRef Name) {
  Expected<std::unique_ptr<object::Archive>> A = object::Archive::create(Buffer);
  if (!A)
    return damaged(Name, A.takeError());
  Error Fault = Error::success();
  for (const object::Archive::Child &Child : (*A)->children(Fault)) {
    Expected<StringRef> Member = Child.getName();
    Expected<MemoryBufferRef> Data = Child.getMemoryBufferRef();
    if (!Member || !Data) {
      Error E = joinErrors(Member ? Error::success() : Member.takeError(), Data ? Error::success() : Data.takeError());
      consumeError(std::move(Fault));
      return damaged(Name, std::move(E));
    }
    if (Error E = content(*Data, (Name + "(" + *Member + ")").str(), /*InArchive=*/true)) {
      consumeError(std::move(Fault));
      return E;
    }
  }
  return Fault ? damaged(Name, std::move(Fault)) : Error::success();
}

Error Reader::object(MemoryBufferRef Buffer, StringRef Name) {
  Expected<std::unique_ptr<object::ObjectFile>> O = object::ObjectFile::createObjectFile(Buffer);
  if (!O)
    return damaged(Name, O.takeError());
  for (const object::SectionRef &Section : (*O)->sections()) {
    Expected<StringRef> SectionName = Section.getName();
    if (!SectionName)
      return damaged(Name, SectionName.takeError());
    if (*SectionName != BitcodeSection)
      continue;
    Expected<StringRef> Data = Section.getContents();
    if (!Data)
      return damaged(Name, Data.takeError());
    return bitcode(MemoryBufferRef(*Data, Name), Name);
  }
  return plainObject(**O, Name);
}

/// Code that cannot be read: what it defines is not ours, what it uses is reached from outside.
Error Reader::plainObject(const object::ObjectFile &O, StringRef Name) {
  Out.Warnings.push_back(
      ("'" + Name + "' carries no bitcode (not made by freehold-cc): its code counts as external [FH303]").str());
  for (const object::SymbolRef &S : O.symbols()) {
    Expected<uint32_t> Flags = S.getFlags();
    Expected<StringRef> SymbolName = S.getName();
    if (!Flags || !SymbolName)
      return damaged(
          Name, joinErrors(Flags ? Error::success() : Flags.takeError(), SymbolName ? Error::success() : SymbolName.takeError()));
    if (SymbolName->empty())
      continue;
    if (*Flags & object::SymbolRef::SF_Undefined)
      Out.PlainUsed.push_back(SymbolName->str());
    else if (*Flags & (object::SymbolRef::SF_Global | object::SymbolRef::SF_Common))
      Out.PlainDefined.push_back(SymbolName->str());
  }
  return Error::success();
}

Error Reader::content(MemoryBufferRef Buffer, StringRef Name, bool InArchive) {
  switch (identify_magic(Buffer.getBuffer())) {
  case file_magic::bitcode:
    return bitcode(Buffer, Name);
  case file_magic::archive:
    return archive(Buffer, Name);
  case file_magic::elf_relocatable:
    return object(Buffer, Name);
  case file_magic::elf_executable:
  case file_magic::elf_shared_object:
    return inputError("cannot read '" + Name + "': a linked program carries no bitcode; give its objects");
  default:
    if (InArchive)
      return Error::success(); // notes and the like: they hold no code
    return inputError("cannot read '" + Name + "': neither bitcode, object, archive, C or C++ source nor compile_commands.json");
  }
}

Error Reader::source(const CompileJob &Job) {
  if (Folder.Path.empty())
    if (Error E = Folder.make())
      return E;
  SmallString<128> Output(Folder.Path);
  sys::path::append(Output, std::to_string(Compiled++) + ".o");
  if (Error E = compileSource(Job, Output))
    return E;
  return file(Output);
}

Error Reader::compileCommands(StringRef FileName) {
  Expected<std::vector<CompileJob>> Jobs = readCompileCommands(FileName);
  if (!Jobs)
    return Jobs.takeError();
  for (const CompileJob &Job : *Jobs)
    if (Error E = source(Job))
      return E;
  return Error::success();
}

Error Reader::file(StringRef FileName) {
  auto Buffer = MemoryBuffer::getFile(FileName, /*IsText=*/false, /*RequiresNullTerminator=*/true);
  if (!Buffer)
    return inputError("cannot read '" + FileName + "': " + Buffer.getError().message());
  if (sys::path::extension(FileName) == ".ll") {
    if (std::optional<unsigned> Line = deepNesting((*Buffer)->getBuffer(), IRNesting, DeepestInput))
      return inputError("cannot read '" + FileName + "': line " + Twine(*Line) + ": nested too deeply");
    LLVMContext Context;
    SMDiagnostic Diagnostic;
    std::unique_ptr<llvm::Module> M = parseIR((*Buffer)->getMemBufferRef(), Diagnostic, Context);
    if (!M)
      return inputError("cannot read '" + FileName + "': line " + Twine(Diagnostic.getLineNo()) + ": " + Diagnostic.getMessage());
    return module(*M, FileName);
  }
  return content((*Buffer)->getMemBufferRef(), FileName, /*InArchive=*/false);
}

} // namespace

Expected<Inputs> readInputs(const AnalyzeOptions &O) {
  Inputs In;
  Reader R(In);
  std::vector<std::string> Flags = O.CompilerFlags;
  if (Flags.empty())
    Flags = {"-O2"};
  for (const std::string &FileName : O.Inputs) {
    Error E = Error::success();
    if (sys::path::filename(FileName) == "compile_commands.json") {
      E = R.compileCommands(FileName);
    } else if (isSource(FileName)) {
      // A missing file shall not be the compiler's message.
      E = sys::fs::exists(FileName) ? R.source({FileName, "", Flags})
                                    : inputError("cannot read '" + FileName + "': no such file");
    } else {
      E = R.file(FileName);
    }
    if (E)
      return std::move(E);
  }
  if (In.Link && O.Inputs.size() > 1)
    return inputError("a captured link is analysed alone, without other inputs");
  if (!O.Inputs.empty())
    In.Name = sys::path::stem(O.Inputs[0]).str();
  return In;
}

} // namespace freehold
