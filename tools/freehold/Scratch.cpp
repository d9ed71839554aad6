// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch.cpp - see Scratch.h. LLVM's RemoveFileOnSignal knows files only, and a compiler that is left alone would go on and
// write where nobody looks. The compiler is the leader of a session, so that one signal reaches its children too. What the
// handler calls is async-signal-safe: the folder is read by the system call.

#include "Scratch.h"
#include "Verbs.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace freehold {
namespace {

char Folder[512];
std::atomic<pid_t> Child{0};
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler reads it");
constexpr int Signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};

/// getdents64's record.
struct Entry {
  uint64_t Inode;
  int64_t Offset;
  unsigned short Length;
  unsigned char Type;
  char Name[1];
};

void emptyFolder() {
  int FD = open(Folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (FD < 0)
    return;
  alignas(Entry) char Buffer[4096];
  for (long Size; (Size = syscall(SYS_getdents64, FD, Buffer, sizeof Buffer)) > 0;)
    for (long At = 0; At < Size;) {
      auto *E = reinterpret_cast<Entry *>(Buffer + At);
      unlinkat(FD, E->Name, 0); // fails for . and ..
      At += E->Length;
    }
  close(FD);
}

void stop(int Signal) {
  if (pid_t P = Child.load()) {
    kill(-P, SIGTERM);
    waitpid(P, nullptr, 0);
  }
  // The compiler's own children may write for a moment yet.
  for (int Try = 0; Folder[0] && Try < 100; ++Try) {
    emptyFolder();
    if (rmdir(Folder) == 0 || errno == ENOENT)
      break;
    timespec Pause{0, 10000000};
    nanosleep(&Pause, nullptr);
  }
  signal(Signal, SIG_DFL);
  raise(Signal);
}

void watch(bool On) {
  for (int S : Signals) {
    struct sigaction Old;
    if (sigaction(S, nullptr, &Old) != 0 || Old.sa_handler == SIG_IGN) // nohup's stays
      continue;
    struct sigaction New = {};
    New.sa_handler = On ? stop : SIG_DFL;
    sigfillset(&New.sa_mask);
    sigaction(S, &New, nullptr);
  }
}

} // namespace

Error ScratchFolder::make() {
  if (std::error_code EC = sys::fs::createUniqueDirectory("freehold", Path))
    return internalError("cannot make a temporary folder: " + EC.message());
  if (Path.size() >= sizeof Folder)
    return internalError("the name of the temporary folder is too long");
  memcpy(Folder, Path.c_str(), Path.size() + 1);
  watch(true);
  return Error::success();
}

ScratchFolder::~ScratchFolder() {
  if (Path.empty())
    return;
  sys::fs::remove_directories(Path);
  watch(false);
  Folder[0] = 0;
}

int runChild(ArrayRef<std::string> Words, std::string &Message) {
  std::vector<char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  sigset_t Before, All;
  sigfillset(&All);
  posix_spawnattr_t How;
  posix_spawnattr_init(&How);
  posix_spawnattr_setflags(&How, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  // Between the start and the note of its number no signal may come.
  sigprocmask(SIG_BLOCK, &All, &Before);
  posix_spawnattr_setsigmask(&How, &Before);
  pid_t P = 0;
  int Fault = posix_spawn(&P, Argv[0], nullptr, &How, Argv.data(), environ);
  Child = Fault ? 0 : P;
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  posix_spawnattr_destroy(&How);
  if (Fault) {
    Message = strerror(Fault);
    return -1;
  }
  int Status = 0;
  while (waitpid(P, &Status, 0) < 0 && errno == EINTR)
    ;
  Child = 0;
  if (WIFEXITED(Status))
    return WEXITSTATUS(Status);
  Message = std::string("stopped by a signal: ") + strsignal(WTERMSIG(Status));
  return -1;
}

} // namespace freehold
