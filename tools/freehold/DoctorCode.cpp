// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorCode.cpp - see DoctorCode.h. One pass over the bytes finds where a sequence begins; from there a few instructions are
// decoded to see which variable is meant.

#include "DoctorCode.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace freehold {
namespace {

/// base + scale * index + displacement, with a segment.
struct Memory {
  unsigned Base = 0, Index = 0, Segment = 0;
  int64_t Displacement = 0;
};

/// LLVM's decoder for x86-64, and what we ask of an instruction.
class Decoder {
public:
  Decoder() {
    std::string Error;
    const Target *T = TargetRegistry::lookupTarget("x86_64-unknown-linux-gnu", Error);
    Registers.reset(T->createMCRegInfo("x86_64-unknown-linux-gnu"));
    Assembler.reset(T->createMCAsmInfo(*Registers, "x86_64-unknown-linux-gnu", MCTargetOptions()));
    Instructions.reset(T->createMCInstrInfo());
    Subtarget.reset(T->createMCSubtargetInfo("x86_64-unknown-linux-gnu", "", ""));
    Context = std::make_unique<MCContext>(Triple("x86_64-unknown-linux-gnu"), Assembler.get(), Registers.get(), Subtarget.get());
    Disassembler.reset(T->createMCDisassembler(*Subtarget, *Context));
  }

  /// The length of the instruction, 0 if there is none.
  uint64_t decode(ArrayRef<uint8_t> Bytes, uint64_t Address, MCInst &I) const {
    uint64_t Size = 0;
    I.clear();
    return Disassembler->getInstruction(I, Size, Bytes, Address, nulls()) == MCDisassembler::Success ? Size : 0;
  }

  /// The one memory operand: five operands in the order of struct Memory, the scale behind the base.
  bool memory(const MCInst &I, Memory &M) const {
    for (unsigned N = 0; N + 5 <= I.getNumOperands(); ++N) {
      const MCOperand *O = I.begin() + N;
      if (!O[0].isReg() || !O[1].isImm() || !O[2].isReg() || !O[3].isImm() || !O[4].isReg())
        continue;
      M = {O[0].getReg(), O[2].getReg(), O[4].getReg(), O[3].getImm()};
      return true;
    }
    return false;
  }

  bool writes(const MCInst &I, unsigned Register) const {
    const MCInstrDesc &D = Instructions->get(I.getOpcode());
    for (unsigned N = 0; N < D.getNumDefs(); ++N)
      if (I.getOperand(N).isReg() && Registers->isSubRegisterEq(Register, I.getOperand(N).getReg()))
        return true;
    return D.hasImplicitDefOfPhysReg(Register, Registers.get());
  }

  const MCInstrDesc &description(const MCInst &I) const { return Instructions->get(I.getOpcode()); }
  StringRef mnemonic(const MCInst &I) const { return Instructions->getName(I.getOpcode()); }
  bool isFs(unsigned Register) const { return Register && StringRef(Registers->getName(Register)) == "FS"; }
  unsigned general(unsigned Number) const {
    static const char *const Names[16] = {"RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
                                          "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    if (!Numbers[Number])
      for (unsigned R = 1; R < Registers->getNumRegs(); ++R)
        if (StringRef(Registers->getName(R)) == Names[Number])
          Numbers[Number] = R;
    return Numbers[Number];
  }

private:
  std::unique_ptr<MCRegisterInfo> Registers;
  std::unique_ptr<MCAsmInfo> Assembler;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<MCDisassembler> Disassembler;
  mutable unsigned Numbers[16] = {};
};

class Scanner {
public:
  Scanner(const TlsCode &Code, uint64_t Address, ArrayRef<uint8_t> Bytes)
      : Code(Code), Address(Address), Bytes(Bytes), End(alignTo(Code.BlockSize, std::max<uint64_t>(Code.BlockAlign, 1))) {}

  void run() {
    for (size_t I = 3; I + 5 <= Bytes.size(); ++I) {
      uint8_t B = Bytes[I];
      if ((B & 0xc7) == 0x05) // modrm: an operand relative to %rip
        slotOperand(I);
      if (B == 0x64) // the prefix for %fs
        segmentOperand(I);
      if (B == 0xc7 && (Bytes[I - 1] & 0xfe) == 0x48 && I + 6 <= Bytes.size() && (Bytes[I + 1] & 0xf8) == 0xc0)
        constant(I);
      if (B == 0xe8 || B == 0xe9 || ((B & 0xf0) == 0x80 && Bytes[I - 1] == 0x0f))
        call(I);
    }
  }

private:
  enum { Window = 24 }; ///< instructions in which a register is followed
  enum class Holds { ThreadPointer, Offset, Block, Descriptor };

  const TlsCode &Code;
  uint64_t Address;
  ArrayRef<uint8_t> Bytes;
  uint64_t End; ///< what of the block lies before the thread pointer

  int32_t word(size_t At) const { return int32_t(support::endian::read32le(Bytes.data() + At)); }
  /// Does the thread pointer with this displacement lie in an executable's own block?
  bool inBlock(int64_t Displacement) const {
    return Code.Executable && Displacement < 0 && Displacement >= -int64_t(End) && End + Displacement < Code.BlockSize;
  }
  void found(uint64_t Offset, StringRef Model) { Code.Found({false, Offset}, Model); }
  static const Decoder &decoder() {
    static const Decoder D;
    return D;
  }

  void call(size_t I) {
    auto Known = Code.Functions.find(Address + I + 5 + uint64_t(int64_t(word(I + 1))));
    if (Known != Code.Functions.end())
      Code.Called(Known->second);
  }

  void slotOperand(size_t I) {
    uint64_t Place = Address + I + 5 + uint64_t(int64_t(word(I + 1)));
    if (Bytes[I - 1] == 0xff && Bytes[I] == 0x15) { // call *slot(%rip)
      if (auto Function = Code.FunctionSlots.find(Place); Function != Code.FunctionSlots.end())
        Code.Called(Function->second);
      return;
    }
    auto Known = Code.Slots.find(Place);
    if (Known == Code.Slots.end())
      return;
    const TlsSlot &Slot = Known->second;
    switch (Slot.What) {
    case TlsSlot::InitialExec:
      return Code.Found(Slot.Target, "initial-exec");
    case TlsSlot::Descriptor:
      return Code.Found(Slot.Target, "tlsdesc");
    case TlsSlot::OwnDescriptor:
      if (!follow(I + 5, decoder().general(0), Holds::Descriptor, int64_t(Slot.Target.Offset)))
        Code.Found(Slot.Target, "tlsdesc");
      return;
    case TlsSlot::GlobalDynamic:
      return Code.Found(Slot.Target, "global-dynamic");
    case TlsSlot::Module:
      // The padded form of lea asks for one variable, the plain one for the block.
      if (Bytes[I - 3] == 0x66)
        return Code.Found(Slot.Target, "global-dynamic");
      follow(I + 5, decoder().general(0), Holds::Block, 0);
    }
  }

  /// An instruction with the prefix at I. A linker's displacement always has four bytes; where a stack pointer is the base, the
  /// prefix is rather the last byte of the instruction before.
  void segmentOperand(size_t I) {
    size_t At = I + 1;
    auto Byte = [&](size_t Where) { return Where < Bytes.size() ? Bytes[Where] : 0; };
    while (Byte(At) == 0x66 || Byte(At) == 0xf2 || Byte(At) == 0xf3)
      ++At;
    uint8_t Rex = (Byte(At) & 0xf0) == 0x40 ? Byte(At++) : 0;
    if (Byte(At) == 0xc5 || Byte(At) == 0xc4) // AVX
      At += Byte(At) == 0xc5 ? 2 : 3;
    else if (Byte(At) == 0x0f)
      At += Byte(At + 1) == 0x38 || Byte(At + 1) == 0x3a ? 2 : 1;
    uint8_t Opcode = Byte(At), Modrm = Byte(At + 1), Sib = Byte(At + 2), Mode = Modrm >> 6;
    bool HasSib = (Modrm & 7) == 4;
    size_t Field = At + 2 + HasSib;
    if (Field + 4 > Bytes.size() || !(Mode == 2 || (Mode == 0 && HasSib && (Sib & 7) == 5)))
      return;
    uint8_t Base = HasSib ? Sib & 7 : Modrm & 7;
    if (Mode == 2 && (Base == 4 || Base == 5))
      return;
    int32_t Displacement = word(Field);
    if (inBlock(Displacement))
      found(End + Displacement, "local-exec");
    if (Code.Executable && Opcode == 0x8b && Mode == 0 && Sib == 0x25 && Displacement == 0)
      follow(Field + 4, decoder().general((Modrm >> 3 & 7) | (Rex & 4) << 1), Holds::ThreadPointer, 0);
  }

  void constant(size_t I) {
    int32_t Value = word(I + 2);
    if (inBlock(Value))
      follow(I + 6, decoder().general((Bytes[I + 1] & 7) | (Bytes[I - 1] & 1) << 3), Holds::Offset, Value);
  }

  /// One instruction that may use the followed register for an access: does it?
  bool use(const MCInst &I, unsigned Register, Holds What, int64_t Value) {
    Memory M;
    bool HasMemory = decoder().memory(I, M), Fs = HasMemory && decoder().isFs(M.Segment);
    bool IsBase = HasMemory && M.Base == Register, IsIndex = HasMemory && M.Index == Register;
    bool AddsImmediate = decoder().mnemonic(I).starts_with("ADD64ri") && I.getOperand(0).getReg() == Register;
    bool AddsThreadPointer =
        Fs && !M.Base && M.Displacement == 0 && I.getOperand(0).isReg() && I.getOperand(0).getReg() == Register;
    int64_t At = HasMemory ? M.Displacement : AddsImmediate ? I.getOperand(2).getImm() : 0;
    switch (What) {
    case Holds::Offset:
      return (Fs && IsBase && report(Value + At, "local-exec")) || (AddsThreadPointer && report(Value, "local-exec"));
    case Holds::ThreadPointer:
      return ((IsBase && !M.Segment) || AddsImmediate) && report(At, "local-exec");
    case Holds::Block:
      return IsBase && !M.Segment && reportOwn(At, "local-dynamic");
    case Holds::Descriptor:
      return ((IsBase && (Fs || M.Index)) || (IsIndex && M.Base)) && reportOwn(Value + At, "tlsdesc");
    }
    return false;
  }

  bool report(int64_t FromThreadPointer, StringRef Model) {
    if (inBlock(FromThreadPointer))
      found(End + FromThreadPointer, Model);
    return inBlock(FromThreadPointer);
  }

  bool reportOwn(int64_t Offset, StringRef Model) {
    bool Inside = Offset >= 0 && uint64_t(Offset) < Code.BlockSize;
    if (Inside)
      found(uint64_t(Offset), Model);
    return Inside;
  }

  /// Decodes on from At until the register is written (Block and Descriptor: after the call that fills it). Was there an access?
  bool follow(size_t At, unsigned Register, Holds What, int64_t Value) {
    MCInst I;
    bool Waiting = What == Holds::Block || What == Holds::Descriptor, Any = false;
    for (unsigned N = 0; N < Window && At < Bytes.size(); ++N) {
      uint64_t Size = decoder().decode(Bytes.drop_front(At), Address + At, I);
      if (Size == 0)
        break;
      At += Size;
      const MCInstrDesc &D = decoder().description(I);
      if (D.isCall() && Waiting) {
        Waiting = false;
        continue;
      }
      if (!Waiting)
        Any |= use(I, Register, What, Value);
      if (D.isCall() || D.isReturn() || D.isUnconditionalBranch() || D.isIndirectBranch() ||
          (!Waiting && decoder().writes(I, Register)))
        break;
    }
    return Any;
  }
};

} // namespace

void prepareDecoder() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
}

void scanCode(const TlsCode &Code, uint64_t Address, ArrayRef<uint8_t> Bytes) { Scanner(Code, Address, Bytes).run(); }

} // namespace freehold
