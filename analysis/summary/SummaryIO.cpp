// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryIO.cpp - numbers to bytes and back, and the seal around them. What is written in what order is SummaryLayout.h's.
#include "summary/SummaryIO.h"
#include "summary/SummaryLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace freehold {
namespace {

/// So many values at most share one entry of `runs`: memory stays in proportion to the bytes read.
constexpr unsigned LongestRun = 64;

class Encoder {
public:
  explicit Encoder(std::string &Bytes) : OS(Bytes) {} // unbuffered

  uint64_t bits(uint64_t B, unsigned) {
    encodeULEB128(B, OS);
    return B;
  }
  template <typename T, typename V> void set(const T &, const V &) {}
  void number(uint64_t N) { encodeULEB128(N, OS); }
  void number(const std::optional<uint64_t> &N) { number(*N); }
  void offset(int64_t N) { encodeSLEB128(N, OS); }
  void offset(const std::optional<int64_t> &N) { offset(*N); }
  void fixed(uint64_t N) {
    char Raw[8];
    support::endian::write64le(Raw, N);
    OS.write(Raw, sizeof Raw);
  }
  void near(Index I, Index Base) { number(I == None ? 0 : uint64_t(zigzag(I - Base)) + 1); }
  template <typename E> void kind(E, uint64_t, E) {}
  void text(const std::string &S) {
    number(S.size());
    OS << S;
  }
  template <typename T, typename F> void list(const std::vector<T> &L, F One) {
    number(L.size());
    for (const T &Element : L)
      One(Element);
  }
  void runs(const std::vector<Index> &Names) {
    number(Names.size());
    Index Last = 0;
    for (size_t I = 0, E = Names.size(); I < E;) {
      size_t N = 1;
      while (I + N < E && N < LongestRun && Names[I + N] == Names[I])
        ++N;
      number(N), near(Names[I], Last);
      if (Names[I] != None)
        Last = Names[I];
      I += N;
    }
  }

private:
  raw_string_ostream OS;
};

/// After the first fault all numbers are 0 and all lists at their end.
class Decoder {
public:
  explicit Decoder(StringRef Bytes) : Rest(Bytes), Whole(Bytes) {}

  /// Empty: all went well.
  std::string problem() {
    if (Problem.empty() && !Rest.empty())
      bad("more bytes than records");
    return Problem;
  }

  uint64_t bits(uint64_t, unsigned Count) {
    uint64_t B = uleb();
    if (B >> Count)
      bad("unknown flags");
    return Problem.empty() ? B : 0;
  }
  template <typename T, typename V> void set(T &Field, const V &Value) { Field = Value; }
  template <typename T> void number(T &N) {
    uint64_t V = uleb();
    if (V > std::numeric_limits<T>::max())
      bad("a number is too large");
    N = T(V);
  }
  void number(std::optional<uint64_t> &N) { N = uleb(); }
  void offset(int64_t &N) {
    unsigned Length = 0;
    const char *Fault = nullptr;
    N = decodeSLEB128(Rest.bytes_begin(), &Length, numberEnd(), &Fault);
    consume(Length, Fault);
  }
  void offset(std::optional<int64_t> &N) { offset(N.emplace()); }
  void fixed(uint64_t &N) {
    if (Rest.size() < 8)
      return bad("a number is missing");
    N = support::endian::read64le(Rest.data());
    Rest = Rest.drop_front(8);
  }
  void near(Index &I, Index Base) {
    uint64_t N = uleb();
    if (N > uint64_t(~0u) + 1)
      return bad("index out of range");
    I = N == 0 ? None : Base + unzigzag(uint32_t(N - 1));
  }
  template <typename E> void kind(E &Field, uint64_t Value, E Largest) {
    if (Value > uint64_t(Largest))
      return bad("unknown kind");
    Field = E(Value);
  }
  void text(std::string &S) {
    uint64_t Length = uleb();
    if (Length > Rest.size())
      return bad("a string is too long");
    S = Rest.take_front(Length).str();
    Rest = Rest.drop_front(Length);
  }
  template <typename T, typename F> void list(std::vector<T> &L, F One) {
    uint64_t N = uleb();
    if (N > Rest.size()) // an element is one byte at least
      return bad("a list is longer than the summary");
    L.reserve(N);
    for (uint64_t I = 0; I < N && Problem.empty(); ++I)
      One(L.emplace_back());
  }
  void runs(std::vector<Index> &Names) {
    uint64_t N = uleb();
    Index Last = 0;
    while (Names.size() < N && Problem.empty()) {
      uint64_t Run = uleb();
      Index Name = None;
      near(Name, Last);
      if (Run == 0 || Run > LongestRun || Run > N - Names.size())
        return bad("wrong run of values");
      Names.insert(Names.end(), Run, Name);
      if (Name != None)
        Last = Name;
    }
  }

private:
  StringRef Rest, Whole;
  std::string Problem;

  void bad(const Twine &Why) {
    if (Problem.empty())
      Problem = ("damaged summary at byte " + Twine(Whole.size() - Rest.size()) + " of its contents: " + Why).str();
    Rest = Rest.take_back(0);
  }
  /// 64 bits fill ten bytes. LLVM's decoders would shift by more for zeros that somebody put behind them.
  const uint8_t *numberEnd() const { return Rest.bytes_begin() + std::min<size_t>(Rest.size(), 10); }
  void consume(unsigned Length, const char *Fault) {
    if (Fault)
      return bad("a number is missing or too large");
    Rest = Rest.drop_front(Length);
  }
  uint64_t uleb() {
    unsigned Length = 0;
    const char *Fault = nullptr;
    uint64_t N = decodeULEB128(Rest.bytes_begin(), &Length, numberEnd(), &Fault);
    consume(Length, Fault);
    return Fault ? 0 : N;
  }
};

Error refused(const Twine &Why) { return createStringError(inconvertibleErrorCode(), Why); }

std::string versionLine() { return (SummaryMagic + Twine(SummaryVersion) + "\n").str(); }

} // namespace

std::string sealSummary(StringRef Contents) {
  std::string Bytes = versionLine();
  Encoder X(Bytes);
  X.fixed(Contents.size());
  Bytes += Contents;
  X.fixed(xxh3_64bits(Bytes));
  return Bytes;
}

Expected<StringRef> openSummary(StringRef Bytes) {
  std::string Version = versionLine();
  StringRef Rest = Bytes;
  if (!Rest.consume_front(Version)) {
    unsigned Other = 0;
    if (Rest.consume_front(SummaryMagic) && !Rest.consumeInteger(10, Other) && Other != SummaryVersion)
      return refused("a summary of format " + Twine(Other) + ", this Freehold reads format " + Twine(SummaryVersion) +
                     ": compile anew");
    return refused(StringRef(Version).starts_with(Bytes) ? "damaged summary: cut off" : "not a summary");
  }
  if (Rest.size() < 16)
    return refused("damaged summary: cut off");
  uint64_t Length = support::endian::read64le(Rest.data()), There = Rest.size() - 16;
  if (Length != There)
    return refused("damaged summary: " + Twine(There) + " bytes where it says " + Twine(Length));
  if (support::endian::read64le(Rest.end() - 8) != xxh3_64bits(Bytes.drop_back(8)))
    return refused("damaged summary: its checksum does not fit");
  return Rest.slice(8, 8 + Length);
}

std::string writeSummary(const Module &M) {
  std::string Contents;
  Encoder X(Contents);
  SummaryLayout<Encoder>(X).module(M);
  return sealSummary(Contents);
}

Expected<Module> readSummary(StringRef Bytes) {
  Expected<StringRef> Contents = openSummary(Bytes);
  if (!Contents)
    return Contents.takeError();
  Module M;
  Decoder X(*Contents);
  SummaryLayout<Decoder>(X).module(M);
  std::string Problem = X.problem();
  if (Problem.empty())
    if (std::string Why = checkSummary(M); !Why.empty())
      Problem = "damaged summary: " + Why;
  if (!Problem.empty())
    return refused(Problem);
  return std::move(M);
}

} // namespace freehold
