// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Process.h - the few things the wrapper asks of the system: run a program and wait, a private folder, small files.
//
// Plain POSIX and C++17 without LLVM: freehold-cc runs once a source file, so its own start must cost next to nothing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace freehold::cc {

using Strings = std::vector<std::string>;

/// How a program ended: an exit code, or the signal that killed it.
struct Outcome {
  int Code = 0, Signal = 0;
  bool Started = true;
  bool ok() const { return Started && Signal == 0 && Code == 0; }
};

/// What is set up for one program that runs.
struct RunOptions {
  std::string Argv0;                                            // empty: the program's own path
  std::vector<std::pair<std::string, std::string>> Environment; // added to ours
  std::string StdoutFile, StderrFile;                           // empty: inherited
};

/// Runs Program and waits; SIGINT, SIGTERM and SIGHUP that reach us are handed on to it.
Outcome run(const std::string &Program, const Strings &Args, const RunOptions &Options = {});

/// Replaces this process; returns only if that failed.
void become(const std::string &Program, const Strings &Args, const std::string &Argv0);

/// Ends this process the way a program we ran ended, its signal included.
[[noreturn]] void exitAs(const Outcome &O);

/// A folder that only we can read, removed with what it holds. path() is empty if none could be made.
class TemporaryFolder {
  std::string Path;

public:
  TemporaryFolder();
  ~TemporaryFolder() { remove(); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return Path; }
  void remove();
};

bool readFile(const std::string &Path, std::string &Text);
bool writeFile(const std::string &Path, const std::string &Text);
/// Writes beside Path, then renames; a device or pipe is written in place.
bool replaceFile(const std::string &Path, const std::string &Text);
bool exists(const std::string &Path);

std::string fileName(const std::string &Path);   // after the last slash
std::string folderName(const std::string &Path); // before it, or "."
std::string absolutePath(const std::string &Path);

/// Is Text one of the words of List, which single spaces part? Tables of options are kept as such lists.
bool isWord(std::string_view Text, std::string_view List);
bool begins(std::string_view Text, std::string_view With);

/// One line on stderr, "freehold-cc: note: TEXT" or with another kind.
void say(const char *Kind, const std::string &Text);
inline void note(const std::string &Text) { say("note", Text); }

} // namespace freehold::cc
