// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DoctorProbes.h - what the doctor learns by trying: the cost of each access model, and how much static TLS the loader has left.
#pragma once

#include "DoctorReport.h"

namespace freehold {

/// Folder of the probe libraries beside this program; empty if there is none.
std::string probesFolder();

/// Models, their cost, Rounds and Calls.
void measureModels(MachineFacts &M);

/// SurplusInitialExec, SurplusTlsdesc, Refusal: by loading copies of a library with ever another TLS segment, each in a child
/// process.
void measureSurplus(MachineFacts &M);

} // namespace freehold
