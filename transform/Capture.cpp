// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capture.cpp - see Capture.h.

#include "Capture.h"
#include "Allocation.h"
#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace freehold {
namespace {

constexpr char ResolutionMetadata[] = "freehold.resolution";

/// A string map's keys in an order that is the same in every run.
template <typename Map> std::vector<StringRef> sortedKeys(const Map &M) {
  std::vector<StringRef> Keys;
  for (const auto &Entry : M)
    Keys.push_back(Entry.getKey());
  sort(Keys);
  return Keys;
}

std::string printResolution(const Resolution &R) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "whole " << R.WholeProgram << "\nlinker " << R.HasLinker << "\nall " << R.AllDefinitions << '\n';
  for (StringRef Name : sortedKeys(R.Symbols)) {
    const SymbolResolution &S = R.Symbols.find(Name)->getValue();
    OS << "symbol " << S.DefinedOutside << ' ' << S.VisibleOutside << ' ' << utohexstr(S.PrevailingTag) << ' ' << Name << '\n';
  }
  for (StringRef Name : sortedKeys(R.Redefined))
    OS << "redefined " << Name << '\n';
  for (StringRef Name : sortedKeys(R.PlainFiles))
    OS << "plain " << Name << ' ' << R.PlainFiles.find(Name)->getValue() << '\n';
  return Text;
}

bool parseFlag(StringRef Text, bool &Flag) {
  Flag = Text == "1";
  return Text == "0" || Text == "1";
}

bool parseSymbol(StringRef Text, Resolution &R) {
  auto [Outside, AfterOutside] = Text.split(' ');
  auto [Visible, AfterVisible] = AfterOutside.split(' ');
  auto [Tag, Name] = AfterVisible.split(' ');
  SymbolResolution S;
  if (!parseFlag(Outside, S.DefinedOutside) || !parseFlag(Visible, S.VisibleOutside) || Tag.getAsInteger(16, S.PrevailingTag) ||
      Name.empty())
    return false;
  R.Symbols[Name] = S;
  return true;
}

bool parseLine(StringRef Line, Resolution &R) {
  auto [Key, Value] = Line.split(' ');
  if (Key == "symbol")
    return parseSymbol(Value, R);
  if (Key == "whole")
    return parseFlag(Value, R.WholeProgram);
  if (Key == "linker")
    return parseFlag(Value, R.HasLinker);
  if (Key == "all")
    return parseFlag(Value, R.AllDefinitions);
  if (Key == "redefined" && !Value.empty())
    return R.Redefined.insert(Value), true;
  if (Key == "plain" && !Value.empty()) {
    auto [Name, Where] = Value.split(' ');
    R.PlainFiles[Name] = Where.str();
    return true;
  }
  return false;
}

} // namespace

Error writeCapture(llvm::Module &IR, const Resolution &R, StringRef FileName) {
  LLVMContext &Context = IR.getContext();
  llvm::Module Out("freehold.capture", Context);
  Out.setTargetTriple(IR.getTargetTriple());
  Out.setDataLayout(IR.getDataLayout());
  if (NamedMDNode *Stored = IR.getNamedMetadata(SummaryMetadata))
    for (MDNode *Operand : Stored->operands())
      Out.getOrInsertNamedMetadata(SummaryMetadata)->addOperand(Operand);
  Out.getOrInsertNamedMetadata(ResolutionMetadata)->addOperand(MDNode::get(Context, MDString::get(Context, printResolution(R))));
  return writeFile(FileName, [&](raw_ostream &OS) { WriteBitcodeToFile(Out, OS); });
}

Expected<std::optional<Resolution>> readCapture(const llvm::Module &M) {
  const NamedMDNode *Node = M.getNamedMetadata(ResolutionMetadata);
  if (!Node)
    return std::nullopt;
  auto Damaged = [](StringRef What) { return createStringError("damaged resolution: " + What); };
  const MDNode *Only = Node->getNumOperands() == 1 ? Node->getOperand(0) : nullptr;
  const auto *Text = Only && Only->getNumOperands() == 1 ? dyn_cast_or_null<MDString>(Only->getOperand(0)) : nullptr;
  if (!Text)
    return Damaged("it is no text");
  Resolution R;
  SmallVector<StringRef, 0> Lines;
  Text->getString().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (!parseLine(Line, R))
      return Damaged("'" + Line.take_front(60).str() + "'");
  return std::move(R);
}

} // namespace freehold
