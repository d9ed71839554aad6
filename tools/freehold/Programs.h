// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs.h - which programs the inputs make. Without a linker nobody has said what belongs together: inputs that define main are
// programs of their own, each with all that has no main. More code than a program has can only make its verdicts worse.
#pragma once

#include "Inputs.h"
#include "Report.h"
#include "solver/Program.h"

namespace freehold {

struct OneProgram {
  std::string Name;
  std::vector<Module> Modules;
  Resolution Symbols;
};

/// One program takes In's modules. Notes tell what was done about several main and several definitions of one name.
llvm::Expected<std::vector<OneProgram>> splitPrograms(Inputs &In, std::vector<std::string> &Notes);

/// Adds copies of the program under new names until there are so many: how the analysis grows, on real code.
void copyUnderNewNames(OneProgram &P, unsigned Copies);

/// One report of all: the worst verdict of a site holds.
Report mergeReports(std::vector<Report> Parts, const Inputs &In);

} // namespace freehold
