// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinkState.cpp - the files between driver, shim and plugin (see LinkState.h), and the report of a link without sites.
#include "LinkState.h"
#include "Paths.h"

#include <unistd.h>

namespace freehold::cc {

std::string linkStateFile(const std::string &Folder) { return Folder + "/link-state"; }

static std::string line(const char *Key, const std::string &Value) { return std::string(Key) + "=" + Value + "\n"; }

bool writeLinkState(const std::string &Folder, const LinkState &S) {
  const Toolchain &T = S.Tools;
  std::string Text = line("clang", T.Clang) + line("lld", T.Lld) + line("objcopy", T.Objcopy) + line("plugin", T.Plugin) +
                     line("llvm-link", T.LlvmLink) + line("opt", T.Opt) + line("archive", T.Archive) +
                     line("c-archive", T.CArchive) + line("shared", T.SharedLibrary) + line("models", T.Models) +
                     line("debug", S.WantsDebug ? "1" : "0") + line("lld-asked", S.LldAsked ? "1" : "0") +
                     line("lto-asked", S.LtoAsked ? "1" : "0") + line("check", S.Own.Check ? "1" : "0") +
                     line("timings", S.Own.Timings ? "1" : "0") + line("no-rpath", S.Own.NoRpath ? "1" : "0") +
                     line("escape", S.Own.Escape) + line("points-to", S.Own.PointsTo) + line("base", S.Own.Base) +
                     line("user-models", S.Own.Models) + line("capture", S.Own.Capture);
  for (const std::string &Report : S.Own.Reports)
    Text += line("report", Report);
  for (const std::string &Site : S.Own.ForceLocal)
    Text += line("force-local", Site);
  for (const std::string &Input : S.Inputs)
    Text += line("input", Input);
  return writeFile(linkStateFile(Folder), Text);
}

bool readLinkState(const std::string &Folder, LinkState &S) {
  std::string Text;
  if (!readFile(linkStateFile(Folder), Text))
    return false;
  Toolchain &T = S.Tools;
  const std::pair<const char *, std::string *> Values[] = {{"clang", &T.Clang},          {"lld", &T.Lld},
                                                           {"llvm-link", &T.LlvmLink},   {"opt", &T.Opt},
                                                           {"objcopy", &T.Objcopy},      {"plugin", &T.Plugin},
                                                           {"archive", &T.Archive},      {"c-archive", &T.CArchive},
                                                           {"shared", &T.SharedLibrary}, {"models", &T.Models},
                                                           {"escape", &S.Own.Escape},    {"points-to", &S.Own.PointsTo},
                                                           {"base", &S.Own.Base},        {"user-models", &S.Own.Models},
                                                           {"capture", &S.Own.Capture}};
  const std::pair<const char *, bool *> Flags[] = {{"debug", &S.WantsDebug},    {"lld-asked", &S.LldAsked},
                                                   {"lto-asked", &S.LtoAsked},  {"check", &S.Own.Check},
                                                   {"timings", &S.Own.Timings}, {"no-rpath", &S.Own.NoRpath}};
  for (size_t Begin = 0; Begin < Text.size();) {
    size_t End = std::min(Text.find('\n', Begin), Text.size()), Equals = Text.find('=', Begin);
    if (Equals < End) {
      std::string Key = Text.substr(Begin, Equals - Begin), Value = Text.substr(Equals + 1, End - Equals - 1);
      for (const auto &[Name, Target] : Values)
        if (Key == Name)
          *Target = Value;
      for (const auto &[Name, Target] : Flags)
        if (Key == Name)
          *Target = Value == "1";
      if (Key == "force-local")
        S.Own.ForceLocal.push_back(Value);
      if (Key == "report")
        S.Own.Reports.push_back(Value);
      else if (Key == "input")
        S.Inputs.push_back(Value);
    }
    Begin = End + 1;
  }
  return true;
}

std::string pluginConfig(const Toolchain &T, const Options &O, const char *Mode) {
  return line("mode", Mode) + line("models", O.Models.empty() ? T.Models : absolutePath(O.Models)) +
         line("base", absolutePath(O.Base)) + line("check", O.Check ? "1" : "0") + line("timings", O.Timings ? "1" : "0") +
         line("escape", O.Escape) + line("points-to", O.PointsTo);
}

static std::string jsonText(const std::string &Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    if (static_cast<unsigned char>(C) < 0x20)
      Result += ' ';
    else
      Result += C;
  }
  return Result + "\"";
}

/// One entry of "assumptions", as the plugin writes it for a link that it took part in.
static std::string nativeJson(const Strings &Native) {
  std::string Result;
  for (const std::string &Name : Native)
    Result += (Result.empty() ? "" : ", ") + jsonText(Name);
  return Native.empty()
             ? ""
             : "\n    {\"code\": \"FH303\", \"text\": \"linked as plain objects, whose code is not known\", \"count\": " +
                   std::to_string(Native.size()) + ", \"where\": [" + Result + "]}\n  ";
}

void writeEmptyReports(const Options &O, const std::string &Output, const std::string &Aside, const Strings &Native) {
  std::string Name = fileName(Output);
  std::string Json = "{\n  \"schema\": \"freehold-report/1\",\n  \"tool\": {\"version\": \"" FREEHOLD_VERSION
                     "\", \"llvm\": \"" FREEHOLD_LLVM_VERSION "\"},\n  \"program\": {\"name\": " +
                     jsonText(Name) + ", \"functions\": 0},\n  \"settings\": {\"points_to\": " + jsonText(O.PointsTo) +
                     ", \"escape\": " + jsonText(O.Escape) + "},\n" +
                     (Aside.empty() ? "" : "  \"aside\": {\"text\": " + jsonText(Aside) + "},\n") +
                     "  \"summary\": {\"sites\": 0, \"local\": 0, \"shared\": 0, \"unknown\": 0, \"rewritten\": 0, \"frees\": 0, "
                     "\"frees_rewritten\": 0, \"unreachable\": 0},\n  \"sites\": [],\n  \"assumptions\": [" +
                     nativeJson(Native) + "]\n}\n";
  std::string Text =
      Name + ": no allocation sites were analysed" + (Aside.empty() ? "" : "\nFreehold stood aside: " + Aside) + "\n";
  for (const std::string &Object : Native)
    Text += "linked as a plain object, whose code is not known [FH303]: " + Object + "\n";
  for (const std::string &Report : O.Reports) {
    std::string Path = reportPath(Report, Output);
    if (!replaceFile(Path, Path.size() > 5 && Path.compare(Path.size() - 5, 5, ".json") == 0 ? Json : Text))
      note(Path + ": the report could not be written");
  }
}

} // namespace freehold::cc
