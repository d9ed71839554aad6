// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config.cpp - reads the plugin's `key=value` lines and writes its mark. An unknown key or value is a problem and turns the
// plugin off: wrapper and plugin of different builds must not half understand each other.

#include "Config.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace freehold {

static bool setFlag(bool &Flag, StringRef Value, StringRef No, StringRef Yes) {
  if (Value != No && Value != Yes)
    return false;
  Flag = Value == Yes;
  return true;
}

static bool setMode(Config &C, StringRef Value) {
  if (Value == "compile")
    C.M = Config::Mode::Compile;
  else if (Value == "link")
    C.M = Config::Mode::Link;
  return C.M != Config::Mode::Off;
}

static bool setKey(Config &C, StringRef Key, StringRef Value) {
  auto Set = [&](std::string &Field) { return Field = Value.str(), true; };
  auto Add = [&](std::vector<std::string> &Field) { return Field.push_back(Value.str()), true; };
  if (Key == "mode")
    return setMode(C, Value);
  if (Key == "models")
    return Set(C.Models);
  if (Key == "base")
    return Set(C.Base);
  if (Key == "output")
    return Set(C.Output);
  if (Key == "mark")
    return Set(C.Mark);
  if (Key == "escape")
    return Set(C.Escape);
  if (Key == "points-to")
    return Set(C.PointsTo);
  if (Key == "report")
    return Add(C.Reports);
  if (Key == "wrap")
    return Add(C.Wrapped);
  if (Key == "plain") {
    auto [Name, Where] = Value.split(' ');
    C.Plain.push_back(Name.str());
    return C.PlainIn[Name.str()] = Where.str(), true;
  }
  if (Key == "foreign")
    return Add(C.Foreign);
  if (Key == "capture")
    return Set(C.Capture);
  if (Key == "malloc-in")
    return Set(C.MallocIn);
  if (Key == "native")
    return Add(C.Native);
  if (Key == "force-local")
    return Add(C.ForceLocal);
  if (Key == "kind")
    return setFlag(C.Shared, Value, "executable", "shared");
  if (Key == "debug")
    return setFlag(C.Debug, Value, "0", "1");
  if (Key == "check")
    return setFlag(C.Check, Value, "0", "1");
  if (Key == "timings")
    return setFlag(C.Timings, Value, "0", "1");
  if (Key == "malloc")
    return setFlag(C.MallocIsOurs, Value, "other", "ours");
  return false;
}

Config readConfig(std::string &Problem) {
  Config C;
  const char *Name = std::getenv(ConfigEnvironment);
  if (!Name || !*Name)
    return C;
  auto Buffer = MemoryBuffer::getFile(Name, /*IsText=*/true);
  if (!Buffer) {
    Problem = "cannot read '" + std::string(Name) + "': " + Buffer.getError().message();
    return C;
  }
  SmallVector<StringRef, 16> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    auto [Key, Value] = Line.split('=');
    if (setKey(C, Key, Value))
      continue;
    Problem = "'" + Line.str() + "' in '" + Name + "' is not understood";
    return Config();
  }
  return C;
}

std::string writeMark(const Mark &M, const std::string &FileName) {
  if (FileName.empty())
    return {};
  std::error_code Error;
  raw_fd_ostream OS(FileName, Error);
  if (Error)
    return "cannot write '" + FileName + "': " + Error.message();
  OS << "ran=1\nmodules=" << M.Modules << "\nsummaries-bad=" << M.SummariesBad << "\nsites=" << M.Sites
     << "\nids-lost=" << M.IdsLost << "\nrewritten=" << M.Rewritten << "\n";
  for (const std::string &Name : M.Unchecked)
    OS << "unchecked=" << Name << "\n";
  for (const std::string &Text : M.Warnings)
    OS << "warning=" << Text << "\n";
  if (!M.Aside.empty())
    OS << "aside=" << M.Aside << "\n";
  OS.close();
  if (!OS.has_error())
    return {};
  OS.clear_error();
  return "cannot write '" + FileName + "'";
}

} // namespace freehold
