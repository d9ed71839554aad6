// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// output.c - whole texts to a file descriptor, and what the kernel says of the process, without stdio.
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fhi_os_write(int fd, const char *text, size_t length) {
  int saved = errno, error = 0;
  while (length != 0 && error == 0) {
    long written = syscall(SYS_write, fd, text, length); // in write() a thread could be cancelled, which may hold a lock
    if (written < 0) {
      error = errno == EINTR ? 0 : errno;
    } else {
      text += written;
      length -= (size_t)written;
    }
  }
  errno = saved;
  return error;
}

static int Kept = -1;
static dev_t KeptDevice;
static ino_t KeptFile;

void fhi_os_keep_stderr(void) {
  struct stat stat;
  // High enough to be in nobody's way; a program that closes all it does not know closes it, which is found out.
  Kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 200);
  if (Kept >= 0 && fstat(Kept, &stat) == 0) {
    KeptDevice = stat.st_dev;
    KeptFile = stat.st_ino;
  }
}

int fhi_os_kept_stderr(void) {
  struct stat stat;
  if (Kept >= 0 && fstat(Kept, &stat) == 0 && stat.st_dev == KeptDevice && stat.st_ino == KeptFile)
    return Kept;
  return STDERR_FILENO;
}

// The number behind `key` in /proc/self/status, which counts in KiB.
static uint64_t status_bytes(const char *status, const char *key) {
  const char *line = strstr(status, key);
  return line ? strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
}

void fhi_os_resident(uint64_t *now, uint64_t *peak) {
  int saved = errno;
  char status[4096];
  ssize_t length = 0;
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    length = read(fd, status, sizeof status - 1);
    close(fd);
  }
  status[length > 0 ? length : 0] = '\0';
  *now = status_bytes(status, "VmRSS:");
  *peak = status_bytes(status, "VmHWM:"); // not getrusage's, which remembers what ran here before exec
  errno = saved;
}
