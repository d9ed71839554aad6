// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Config.h - how freehold-cc tells the plugin what to do, and how the plugin tells that it did it.
//
// freehold-cc writes a file of `key=value` lines and names it in the environment (FREEHOLD_PLUGIN_CONFIG, set for the compiler or
// linker alone). The plugin, at a link, writes `mark`: without that file the wrapper knows the plugin never ran.
//
// keys: mode=compile|link  models=DIR  base=DIR  kind=executable|shared  output=FILE  report=FILE (repeatable)
//       check=0|1  escape=reachable  points-to=field-sensitive  timings=0|1  wrap=NAME (repeatable; --wrap, --defsym)
//       mark=FILE  malloc=ours|other (is the override linked in)
// mark: `ran=1`, `modules=N` (with a summary), `summaries-bad=N`, `sites=N`, `ids-lost=N`, `rewritten=N`, `unchecked=NAME` (repeatable: module
//       not instrumented), `warning=TEXT` (repeatable), `aside=TEXT`
#pragma once

#include <string>
#include <vector>

namespace freehold {

struct Config {
  enum class Mode { Off, Compile, Link } M = Mode::Off;
  bool Shared = false, Check = false, Timings = false, MallocIsOurs = true;
  std::string Models, Base, Output, Mark, Escape = "reachable", PointsTo = "field-sensitive";
  std::vector<std::string> Reports, Wrapped;
};

constexpr char ConfigEnvironment[] = "FREEHOLD_PLUGIN_CONFIG";

/// Off if the variable is not set. A file that cannot be read gives Off and sets Problem.
Config readConfig(std::string &Problem);

} // namespace freehold
