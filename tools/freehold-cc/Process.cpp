// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Process.cpp - running programs and handling small files (see Process.h).
//
// Children are waited for, never replaced by exec where a private folder has to be removed afterwards. A child's death by a
// signal becomes our own death by that signal, so that make and shells see what they would have seen from clang.
#include "Process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace freehold::cc {

static volatile sig_atomic_t RunningChild;

static void handOn(int Signal) {
  if (RunningChild > 0)
    kill(RunningChild, Signal);
}

static std::vector<char *> pointers(const Strings &List, const std::string *First) {
  std::vector<char *> Result;
  if (First)
    Result.push_back(const_cast<char *>(First->c_str()));
  for (const std::string &S : List)
    Result.push_back(const_cast<char *>(S.c_str()));
  Result.push_back(nullptr);
  return Result;
}

static Strings environmentWith(const RunOptions &Options) {
  Strings Result;
  for (char **E = environ; *E; ++E) {
    bool Replaced = false;
    for (const auto &[Name, Value] : Options.Environment)
      Replaced |= strncmp(*E, Name.c_str(), Name.size()) == 0 && (*E)[Name.size()] == '=';
    if (!Replaced)
      Result.push_back(*E);
  }
  for (const auto &[Name, Value] : Options.Environment)
    Result.push_back(Name + "=" + Value);
  return Result;
}

Outcome run(const std::string &Program, const Strings &Args, const RunOptions &Options) {
  Strings Environment = environmentWith(Options);
  const std::string &Argv0 = Options.Argv0.empty() ? Program : Options.Argv0;
  std::vector<char *> Argv = pointers(Args, &Argv0), Envp = pointers(Environment, nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  if (!Options.StdoutFile.empty())
    posix_spawn_file_actions_addopen(&Actions, 1, Options.StdoutFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!Options.StderrFile.empty())
    posix_spawn_file_actions_addopen(&Actions, 2, Options.StderrFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);

  struct sigaction Hand = {}, Old[3];
  Hand.sa_handler = handOn;
  const int Signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (int I = 0; I < 3; ++I) {
    sigaction(Signals[I], nullptr, &Old[I]);
    if (Old[I].sa_handler != SIG_IGN) // spawn turns our handlers into the default in the child, but keeps what is ignored
      sigaction(Signals[I], &Hand, nullptr);
  }
  pid_t Child = -1;
  int Failed = posix_spawn(&Child, Program.c_str(), &Actions, nullptr, Argv.data(), Envp.data());
  posix_spawn_file_actions_destroy(&Actions);
  Outcome Result;
  if (Failed) {
    Result.Started = false;
    Result.Code = 127;
  } else {
    RunningChild = Child;
    int Status = 0;
    while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
      ;
    RunningChild = 0;
    if (WIFSIGNALED(Status))
      Result.Signal = WTERMSIG(Status);
    else
      Result.Code = WEXITSTATUS(Status);
  }
  for (int I = 0; I < 3; ++I)
    sigaction(Signals[I], &Old[I], nullptr);
  return Result;
}

void become(const std::string &Program, const Strings &Args, const std::string &Argv0) {
  std::vector<char *> Argv = pointers(Args, &Argv0);
  execv(Program.c_str(), Argv.data());
}

void exitAs(const Outcome &O) {
  if (O.Signal) {
    rlimit NoCore = {0, 0}; // the child has left its core already
    setrlimit(RLIMIT_CORE, &NoCore);
    signal(O.Signal, SIG_DFL);
    raise(O.Signal);
    _exit(128 + O.Signal);
  }
  fflush(nullptr);
  _exit(O.Code);
}

TemporaryFolder::TemporaryFolder() {
  const char *Root = getenv("TMPDIR");
  Path = std::string(Root && *Root ? Root : "/tmp") + "/freehold-cc-XXXXXX";
  if (!mkdtemp(Path.data()))
    Path.clear();
}

static void removeFolder(const std::string &Path) {
  if (DIR *D = opendir(Path.c_str())) {
    while (dirent *Entry = readdir(D)) {
      std::string Name = Entry->d_name;
      if (Name == "." || Name == "..")
        continue;
      std::string Full = Path + "/" + Name;
      if (unlink(Full.c_str()) != 0)
        removeFolder(Full);
    }
    closedir(D);
  }
  rmdir(Path.c_str());
}

void TemporaryFolder::remove() {
  if (!Path.empty())
    removeFolder(Path);
  Path.clear();
}

bool readFile(const std::string &Path, std::string &Text) {
  FILE *F = fopen(Path.c_str(), "re");
  if (!F)
    return false;
  char Buffer[65536];
  Text.clear();
  while (size_t N = fread(Buffer, 1, sizeof Buffer, F))
    Text.append(Buffer, N);
  bool Good = !ferror(F);
  fclose(F);
  return Good;
}

bool writeFile(const std::string &Path, const std::string &Text) {
  FILE *F = fopen(Path.c_str(), "we");
  if (!F)
    return false;
  bool Good = fwrite(Text.data(), 1, Text.size(), F) == Text.size();
  return fclose(F) == 0 && Good;
}

bool replaceFile(const std::string &Path, const std::string &Text) {
  struct stat S;
  if (stat(Path.c_str(), &S) == 0 && !S_ISREG(S.st_mode))
    return writeFile(Path, Text);
  std::string Beside = Path + ".new-" + std::to_string(getpid());
  if (writeFile(Beside, Text) && rename(Beside.c_str(), Path.c_str()) == 0)
    return true;
  unlink(Beside.c_str());
  return false;
}

bool exists(const std::string &Path) { return access(Path.c_str(), F_OK) == 0; }

std::string fileName(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? Path : Path.substr(Slash + 1);
}

std::string folderName(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Slash == 0 ? "/" : Path.substr(0, Slash);
}

std::string absolutePath(const std::string &Path) {
  if (!Path.empty() && Path[0] == '/')
    return Path;
  char *Here = getcwd(nullptr, 0);
  std::string Result = std::string(Here ? Here : ".") + (Path.empty() || Path == "." ? "" : "/" + Path);
  free(Here);
  return Result;
}

bool isWord(std::string_view Text, std::string_view List) {
  if (Text.empty() || Text.find(' ') != Text.npos)
    return false;
  for (size_t At = 0; (At = List.find(Text, At)) != List.npos; ++At) {
    size_t End = At + Text.size();
    if ((At == 0 || List[At - 1] == ' ') && (End == List.size() || List[End] == ' '))
      return true;
  }
  return false;
}

bool begins(std::string_view Text, std::string_view With) { return Text.substr(0, With.size()) == With; }

void say(const char *Kind, const std::string &Text) { fprintf(stderr, "freehold-cc: %s: %s\n", Kind, Text.c_str()); }

} // namespace freehold::cc
