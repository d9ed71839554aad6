// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config.h - how freehold-cc tells the plugin what to do, and how the plugin tells that it did it.
//
// freehold-cc writes a file of `key=value` lines and names it in the environment (FREEHOLD_PLUGIN_CONFIG, set for the compiler or
// linker alone). The plugin, at a link, writes `mark`: without that file the wrapper knows the plugin never ran.
//
// keys: mode=compile|link  models=DIR  base=DIR  kind=executable|shared  output=FILE  report=FILE (repeatable)
//       check=0|1  escape=reachable  points-to=field-sensitive  timings=0|1  wrap=NAME (repeatable; --wrap, --defsym)
//       plain=NAME [WHERE] (repeatable): a plain object, archive or library of the user's, not libc, defines it; WHERE
//       completes "it is defined in ..."
//       foreign=FILE (repeatable): an object or archive that is linked without bitcode
//       malloc-in=FILE: what brings a malloc of the program's own
//       native=NAME (repeatable): an input with bitcode whose native half is linked
//       debug=0|1 (compile: did the user ask for debug information)
//       capture=FILE: what the analysis is given is written there (Capture.h); bench/analysis asks for it
//       mark=FILE  malloc=ours|other (is the override linked in)
//       force-local=FILE:LINE or ID (repeatable): a test hook. It overrules a verdict so that the tests of the owner check can
//       show that a wrong one stops the program; nothing else may set it.
// mark: `ran=1`, `modules=N` (with a summary), `summaries-bad=N`, `sites=N`, `ids-lost=N`, `rewritten=N`
//       `unchecked=NAME` (repeatable: module not instrumented), `warning=TEXT` (repeatable), `aside=TEXT`
#pragma once

#include <map>
#include <string>
#include <vector>

namespace freehold {

struct Config {
  enum class Mode { Off, Compile, Link } M = Mode::Off;
  bool Shared = false, Check = false, Timings = false, MallocIsOurs = true, Debug = true;
  std::string Models, OwnModels, Base, Output, Mark, Escape = "reachable", PointsTo = "field-sensitive";
  std::string MallocIn, Capture;
  std::map<std::string, std::string> PlainIn;
  std::vector<std::string> Reports, Wrapped, Plain, Foreign, Native, ForceLocal;
};

constexpr char ConfigEnvironment[] = "FREEHOLD_PLUGIN_CONFIG";

/// Off if the variable is not set. A file that cannot be read gives Off and sets Problem.
Config readConfig(std::string &Problem);

/// What a link did, for the wrapper.
struct Mark {
  unsigned Modules = 0, SummariesBad = 0, Sites = 0, IdsLost = 0, Rewritten = 0;
  std::vector<std::string> Unchecked, Warnings;
  std::string Aside;
};

/// Does nothing if FileName is empty. Returns a problem in words, or nothing.
std::string writeMark(const Mark &M, const std::string &FileName);

} // namespace freehold
