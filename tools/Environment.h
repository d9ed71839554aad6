// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment.h - FREEHOLD_* for the programs, from the runtime's own table (runtime/os/options.def).
//
// An unknown name draws one warning, with the known one that is near if there is one. Nothing is read in a setuid program
// (AT_SECURE).
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/auxv.h>
#include <unistd.h>
#include <vector>

namespace freehold {

/// Levenshtein distance, by the usual row recurrence.
inline size_t editDistance(const std::string &A, const std::string &B) {
  std::vector<size_t> Row(B.size() + 1);
  for (size_t J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (size_t I = 1; I <= A.size(); ++I) {
    size_t Diagonal = Row[0];
    Row[0] = I;
    for (size_t J = 1; J <= B.size(); ++J) {
      size_t Changed = Diagonal + (A[I - 1] != B[J - 1]);
      Diagonal = Row[J];
      Row[J] = std::min({Changed, Row[J] + 1, Row[J - 1] + 1});
    }
  }
  return Row[B.size()];
}

/// Warns of unknown names on stderr; returns whether FREEHOLD_OFF=1 asks to stand aside. Forget takes what was warned of out of
/// the environment, so that the programs started from here do not say it again.
inline bool readEnvironment(const char *Program, bool Forget = false) {
  static const char *const Known[] = {
#define FREEHOLD_OPTION(NAME, VALUES, BUILT, HELP) #NAME,
#include "runtime/os/options.def"
#undef FREEHOLD_OPTION
  };
  if (getauxval(AT_SECURE))
    return false;
  bool Off = false;
  std::vector<std::string> Unknown;
  for (char **Variable = environ; Variable && *Variable; ++Variable) {
    if (strncmp(*Variable, "FREEHOLD_", 9) != 0)
      continue;
    const char *Equals = strchr(*Variable, '=');
    std::string Name(*Variable + 9, Equals ? size_t(Equals - *Variable) - 9 : strlen(*Variable) - 9);
    auto Nearest = std::min_element(std::begin(Known), std::end(Known),
                                    [&](const char *A, const char *B) { return editDistance(Name, A) < editDistance(Name, B); });
    if (Name != *Nearest) {
      bool Near = editDistance(Name, *Nearest) <= std::min<size_t>(3, (Name.size() + 1) / 3);
      fprintf(stderr, "%s: warning: unknown environment variable FREEHOLD_%s%s%s%s\n", Program, Name.c_str(),
              Near ? "; did you mean FREEHOLD_" : "", Near ? *Nearest : "", Near ? "?" : "");
      Unknown.push_back("FREEHOLD_" + Name);
    }
    Off |= Name == "OFF" && Equals && strcmp(Equals, "=1") == 0;
  }
  for (const std::string &Name : Unknown)
    if (Forget)
      unsetenv(Name.c_str());
  return Off;
}

} // namespace freehold
