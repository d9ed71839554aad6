// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// summary_seeds.cpp - `summary_seeds FOLDER N`: writes summaries of N modules that no program has (summary/RandomModule.h), always
// the same ones: what real programs lack is in them.
#include "summary/RandomModule.h"
#include "summary/SummaryIO.h"

#include <cstdlib>
#include <fstream>

int main(int Count, char **Arguments) {
  if (Count != 3)
    return 2;
  for (int Seed = 0; Seed < std::atoi(Arguments[2]); ++Seed) {
    std::string Name = std::string(Arguments[1]) + "/random" + std::to_string(Seed);
    std::ofstream(Name, std::ios::binary) << freehold::writeSummary(freehold::RandomModule(Seed).make(Seed % 12 + 1));
  }
}
