// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinkState.h - what the driver tells the linker shim, and the other way round, through files in the command's private folder.
//
// The folder is the one that holds the plugin's configuration, which the environment names: so one variable serves all three.
#pragma once

#include "Options.h"
#include "Toolchain.h"

namespace freehold::cc {

constexpr char ConfigVariable[] = "FREEHOLD_PLUGIN_CONFIG"; // transform/Config.h

struct LinkState {
  Toolchain Tools;
  Options Own;
  bool WantsDebug = false, LldAsked = false, LtoAsked = false;
  Strings Inputs; // as the user named them: other objects are the compiler's temporary ones
};

std::string linkStateFile(const std::string &Folder);
bool writeLinkState(const std::string &Folder, const LinkState &S);
bool readLinkState(const std::string &Folder, LinkState &S);

/// The plugin's configuration; keys as in transform/Config.h.
std::string pluginConfig(const Toolchain &T, const Options &O, const char *Mode);

/// The shim: clang runs this program as its linker.
int linkMain(const Strings &Args);

/// Writes the reports of a link that the plugin had no part in.
/// Native: the inputs whose bitcode half was left out.
void writeEmptyReports(const Options &O, const std::string &Output, const std::string &Aside, const Strings &Native = {});

} // namespace freehold::cc
