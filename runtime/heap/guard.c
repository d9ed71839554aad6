// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// guard.c - what the hardened heap puts into and around blocks: canaries, poison, inaccessible pages.
#include "hard.h"
#include "keys.h"

#include <signal.h>
#include <string.h>
#include <sys/auxv.h>

uint64_t fhi_hard_secret;

// Of the sixteen random bytes that the kernel gives each process. A fork keeps them, as it keeps the blocks.
void fhi_hard_secret_make(void) {
  const char *random = (const char *)getauxval(AT_RANDOM); // NOLINT: the kernel's interface
  if (random && fhi_hard_secret == 0)
    memcpy(&fhi_hard_secret, random + 8, sizeof fhi_hard_secret);
}

// xorshift64*
uint64_t fhi_hard_random(struct fhi_hard *hard) {
  uint64_t x = hard->random ? hard->random : (fhi_hard_secret ^ (uintptr_t)hard) | 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  hard->random = x;
  return (x * 0x2545f4914f6cdd1du) >> 32;
}

size_t fhi_canary_where(const char *p, size_t size, const char *end) {
  uint64_t pattern = fhi_canary(p);
  size_t slack = (size_t)(end - p) - size, length = slack < 16 ? slack : 16, i = 0;
  char expected[16];
  if (length >= 8) {
    memcpy(expected + length - 8, &pattern, 8);
    memcpy(expected, &pattern, 8);
  } else {
    memcpy(expected, (char *)&pattern + 8 - length, length);
  }
  while (i + 1 < length && p[size + i] == expected[i])
    ++i;
  return size + i;
}

void fhi_poison_write(char *start, size_t size) { memset(start, FHI_POISON, size); }

size_t fhi_poison_check(const char *start, size_t size) {
  const uint64_t expected = 0x0101010101010101u * FHI_POISON;
  for (size_t i = 0; i < size; i += sizeof expected) {
    uint64_t word;
    memcpy(&word, start + i, sizeof word);
    if (FHI_LIKELY(word == expected))
      continue;
    while ((unsigned char)start[i] == FHI_POISON)
      ++i;
    return i;
  }
  return SIZE_MAX;
}

// Without room for another mapping (vm.max_map_count) a page stays accessible: canaries are there all the same.
void fhi_guard_close(char *begin, char *end) {
  if (begin < end)
    fhi_os_protect(begin, (size_t)(end - begin), false);
}

bool fhi_guard_open(char *begin, char *end) { return begin >= end || fhi_os_protect(begin, (size_t)(end - begin), true); }

char *fhi_guard_around(char *begin, const char *start, size_t size, char *end) {
  const uintptr_t in_page = FHI_SYSTEM_PAGE - 1;
  char *behind = (char *)(((uintptr_t)start + size + in_page) & ~in_page);
  fhi_guard_close(begin, (char *)((uintptr_t)start & ~in_page));
  fhi_guard_close(behind, end);
  return behind;
}

// ---- the access that was found ----

static void on_fault(int signal, siginfo_t *info, void *context) {
  struct fhi_hard_block block;
  if (info->si_code == SEGV_PKUERR && fhi_keys_fault(info->si_addr, context))
    return;
  bool sent = info->si_code <= 0; // by kill(): there is no address
  bool ours = !sent && fhi_hard_find(info->si_addr, &block);
  if (ours && !block.word && block.small) // behind a page's last block
    fhi_hard_find(fhi_hard_page_start(block.segment, block.page) + (size_t)(block.page->capacity - 1) * block.page->block,
                  &block);
  if (ours && block.word && info->si_code != SEGV_PKUERR)
    fhi_stop_access(info->si_addr, &block, atomic_load_explicit(block.word, memory_order_relaxed));
  // Not ours: the instruction faults again, and the signal does what it always did.
  struct sigaction fall = {.sa_handler = SIG_DFL};
  sigaction(signal, &fall, NULL);
  if (sent)
    raise(signal); // no instruction will
}

void fhi_guard_handler(void) {
  struct sigaction now, mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
    sigaction(SIGSEGV, &mine, NULL);
}
