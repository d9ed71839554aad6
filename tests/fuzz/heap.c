// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heap.c - sequences of calls against a model of what a heap promises. The input is a program: each byte chooses a call, the next
// ones its size, block and alignment, and which of three threads makes it. Threads take turns, one at a time, so an input always
// does the same; they end and are born again when the input says so.
//
// The model knows of each live block its size, pattern, alignment and owner, and how many marks its thread had set when it was
// made. Checked at every call: no block overlaps another, contents survive, the kind is right, calloc gives zeroes, usable sizes
// suffice, errno is ENOMEM or EINVAL where a call fails and untouched where it does not, and a failed realloc leaves the block as
// it was. A limit makes calls fail now and then.
#include "../runtime/heaps.h"
#include "../runtime/pattern.h"

#include "../../runtime/heap/hardened.h"
#include "../../runtime/os/options.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

enum { Threads = 3, Blocks = 3000, Single = 200, Marks = 5, Shared = -1, KeepErrno = 4711 };

struct block {
  unsigned char *bytes;
  size_t size; // asked for, and filled with the pattern
  size_t usable;
  uint64_t seed;
  int owner;      // thread of a local block, or Shared
  unsigned level; // marks in force when it was made
};
static struct block Live[Blocks];
static struct {
  const uint8_t *at, *end;
} Input;
static sem_t Go[Threads], Back;
static pthread_t Ids[Threads];
static bool Alive[Threads], Ends[Threads], Limited, CleaningUp;
static unsigned AlignmentMax; // a run of pages for a small size ends inlined frees in its thread
static uint64_t Seeds;
// The marks that each thread has in force, and one that is not any more.
static fh_mark_t InForce[Threads][Marks], Stale[Threads];
static unsigned Depth[Threads];

#define EXPECT(x) ((x) ? (void)0 : failed(#x, __LINE__))
static _Noreturn void failed(const char *what, int line) {
  fprintf(stderr, "heap.c:%d: does not hold: %s\n", line, what);
  abort();
}

// ---- the input ----
static unsigned byte(void) { return Input.at < Input.end ? *Input.at++ : 0; }
static size_t some_size(void) {
  unsigned how = byte(), low = byte();
  switch (how & 7) {
  case 0:
    return low | (size_t)byte() << 8;
  case 1:
    return ((size_t)1 << low % 24) + (how >> 3 & 3) - 1;
  case 2:
    return low << 12;
  case 3:
    return how >> 3 == 31 ? (low & 1 ? SIZE_MAX - low : (size_t)1 << 45) : low * 37u;
  default:
    return low;
  }
}
// A live block that thread `me` may touch; NULL if the input hits none.
static struct block *some_block(int me) {
  struct block *block = &Live[byte() % Single];
  return block->bytes && (block->owner == Shared || block->owner == me) ? block : NULL;
}

// ---- the model ----
static void check(const struct block *block) {
  EXPECT(over(block->bytes, block->size, block->size, block->seed, compare_word) == block->size);
}

static bool may_fail(size_t size) { return Limited || size > (size_t)1 << 40; }

// A call returned p for a block of `size` bytes at `alignment`; errno was KeepErrno before it.
static void adopt(struct block *block, void *p, size_t size, size_t alignment, int me, bool local) {
  if (!p) {
    EXPECT(may_fail(size) && errno == ENOMEM);
    return;
  }
  EXPECT((errno == KeepErrno || Limited) && size <= (size_t)1 << 40); // the shared heap may have helped out
  EXPECT(((uintptr_t)p & (alignment - 1)) == 0 && ((uintptr_t)p & 15) == 0);
  EXPECT(fh_is_local(p) == local || (local && Limited && Depth[me] == 0));
  block->bytes = p;
  block->size = size;
  block->usable = fhi_usable_size(p);
  block->owner = fh_is_local(p) ? me : Shared;
  block->level = Depth[me];
  EXPECT(block->usable >= size);
  for (const struct block *other = Live; other < Live + Single; ++other)
    EXPECT(other == block || !other->bytes || block->bytes + block->usable <= other->bytes ||
           other->bytes + other->usable <= block->bytes);
  block->seed = ++Seeds;
  fill_pattern(block->bytes, block->size, block->seed);
}

static void free_block(struct block *block, unsigned how) {
  struct block old = *block;
  check(block);
  block->bytes = NULL;
  errno = KeepErrno;
  switch (how % 6) {
  case 0:
    fh_tls_free(old.bytes);
    break;
  case 1:
    fh_tls_free_sized(old.bytes, old.size);
    break;
  case 2:
    fh_heap_free(fh_heap_self(), old.bytes);
    break;
  case 3:
    fh_heap_free_sized(fh_heap_self(), old.bytes, old.size);
    break;
  case 4:
    EXPECT(fhi_realloc(how & 8 ? FHI_LOCAL : FHI_SHARED, old.bytes, 0) == NULL);
    break;
  default:
    fhi_free(old.bytes);
  }
  EXPECT(errno == KeepErrno);
}

// ---- the calls ----
static void allocate(int me) {
  struct block *block = &Live[byte() % Single];
  unsigned how = byte();
  size_t size = some_size(), alignment = (size_t)1 << byte() % AlignmentMax;
  bool local = how & 1, heap = how & 2;
  if (block->bytes)
    return;
  void *p = NULL;
  errno = KeepErrno;
  switch (how >> 2 & 7) {
  case 0:
  case 1:
    p = !local ? fhi_shared_malloc(size) : heap ? fh_heap_malloc(fh_heap_self(), size) : fh_tls_malloc(size);
    break;
  case 2:
    p = !local ? fhi_shared_calloc(size, 1) : heap ? fh_heap_calloc(fh_heap_self(), 1, size) : fh_tls_calloc(size, 1);
    for (size_t i = 0; p && i < size; i += i < 4096 ? 1 : 1021)
      EXPECT(((char *)p)[i] == 0);
    break;
  case 3:
    p = !local ? fhi_shared_aligned(alignment, size)
        : heap ? fh_heap_aligned_alloc(fh_heap_self(), alignment, size)
               : fh_tls_aligned_alloc(alignment, size);
    adopt(block, p, size, alignment, me, local);
    return;
  case 4:
    p = !local ? fhi_realloc(FHI_SHARED, NULL, size)
        : heap ? fh_heap_realloc(fh_heap_self(), NULL, size)
               : fh_tls_realloc(NULL, size);
    break;
  case 5: {
    char text[257];
    size = size % 256 + 1;
    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
    p = heap ? fh_heap_strdup(fh_heap_self(), text) : fh_tls_strndup(text, size + 3);
    EXPECT(!p || strcmp(p, text) == 0);
    local = true;
    break;
  }
  case 6: {
    void *result = Live;
    int error = fh_tls_posix_memalign(&result, alignment, size);
    EXPECT(errno == KeepErrno);
    if (alignment < sizeof(void *) || error != 0) {
      EXPECT(result == Live && error == (alignment < sizeof(void *) ? EINVAL : ENOMEM));
      EXPECT(error == EINVAL || may_fail(size));
      return;
    }
    adopt(block, result, size, alignment, me, true);
    return;
  }
  default: // what can never be granted
    EXPECT(fh_tls_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    errno = KeepErrno;
    EXPECT(fh_tls_reallocarray(NULL, SIZE_MAX / 4, 5) == NULL && errno == ENOMEM);
    errno = KeepErrno;
    EXPECT(fh_tls_aligned_alloc(alignment * 3, size) == NULL && errno == EINVAL);
    return;
  }
  adopt(block, p, size, 1, me, local);
}

static void resize(int me) {
  struct block *block = some_block(me);
  unsigned how = byte();
  size_t size = some_size() + 1;
  if (!block || size == 0)
    return;
  struct block old = *block;
  check(block);
  errno = KeepErrno;
  void *p = how & 1   ? fhi_realloc(FHI_SHARED, old.bytes, size)
            : how & 2 ? fh_tls_realloc(old.bytes, size)
                      : fh_heap_realloc(fh_heap_self(), old.bytes, size);
  if (!p) {
    EXPECT(may_fail(size) && errno == ENOMEM && (size > old.size || old.level < Depth[me]));
    check(block);
    return;
  }
  size_t common = size < old.size ? size : old.size;
  EXPECT(over(p, old.size, common, old.seed, compare_word) == common);
  block->bytes = NULL;
  adopt(block, p, size, 1, me, old.owner != Shared);
}

// Blocks Single and above: many of one size at once, as fills pages. That they overlap shows in their contents.
static void burst(int me, unsigned how) {
  size_t size = 1 + byte() * (how & 2 ? 17u : 3u);
  unsigned count = byte() * 11u;
  bool local = how & 1;
  for (struct block *block = Live + Single; block < Live + Blocks && count > 0; ++block, --count) {
    if (block->bytes)
      continue;
    errno = KeepErrno;
    adopt(block, local ? fh_tls_malloc(size) : fhi_shared_malloc(size), size, 1, me, local);
  }
}
// Frees those of them whose number is, or is not, a multiple of the step.
static void burst_free(int me, unsigned how) {
  unsigned step = 1 + byte() % 32;
  bool multiples = how & 1;
  for (unsigned i = Single; i < Blocks; ++i)
    if (Live[i].bytes && (Live[i].owner == Shared || Live[i].owner == me) && (i % step == 0) == multiples)
      free_block(&Live[i], i);
}

// All that the thread made since a mark is gone, and only that.
static void reset(int me, unsigned to) {
  for (struct block *block = Live; block < Live + Blocks; ++block)
    if (block->bytes && block->owner == me) {
      check(block);
      if (block->level > to)
        block->bytes = NULL;
    }
  fh_heap_reset(fh_heap_self(), InForce[me][to]);
  Stale[me] = InForce[me][to];
  Depth[me] = to;
}

static void marks(int me, unsigned how) {
  if (how % 4 == 0 && Stale[me].serial != 0 && !fhi_hardened())
    fh_heap_reset(fh_heap_self(), Stale[me]); // nothing
  else if (how % 4 == 1 && Depth[me] > 0)
    reset(me, how / 4 % Depth[me]);
  else if (how % 4 > 1 && Depth[me] < Marks) {
    fh_mark_t mark = fh_heap_mark(fh_heap_self());
    EXPECT(mark.serial != 0 || Limited);
    if (mark.serial != 0)
      InForce[me][Depth[me]++] = mark;
  }
}

static void limit(void) {
  unsigned slots = byte();
  Limited = slots < 128;
  fhi_options.limit = Limited ? fhi_mapped_bytes() + slots / 8 * FHI_SLOT_SIZE : SIZE_MAX;
}

// The thread whose turn it is makes calls until the input hands on; false: it ends.
static bool turn(int me) {
  if (CleaningUp) {
    for (struct block *block = Live; block < Live + Blocks; ++block)
      if (block->bytes && (block->owner == me || block->owner == Shared))
        free_block(block, (unsigned)block->seed);
    if (Depth[me] > 0)
      reset(me, 0);
    return true;
  }
  while (Input.at < Input.end) {
    unsigned what = byte();
    struct block *block;
    switch (what & 15) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      allocate(me);
      break;
    case 6:
    case 7:
      resize(me);
      break;
    case 8:
      if ((block = some_block(me)) != NULL)
        check(block);
      break;
    case 9:
      if (what >> 4 == 0)
        fhi_orphans_trim();
      else if (what >> 4 == 1)
        limit();
      else if (what >> 4 < 6)
        burst(me, what >> 4);
      else if (what >> 4 < 8)
        burst_free(me, what >> 4);
      break;
    case 10:
      if (what >> 6 != 0)
        return true; // somebody else's turn
      return what >> 4 != 0;
    case 11:
      marks(me, what >> 4);
      break;
    default:
      if ((block = some_block(me)) != NULL)
        free_block(block, what >> 4);
    }
  }
  return true;
}

// libFuzzer's alarm interrupts.
static void wait_for(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0)
    ;
}

static void *work(void *argument) {
  int me = (int)(intptr_t)argument;
  while (true) {
    wait_for(&Go[me]);
    Ends[me] = !turn(me);
    sem_post(&Back);
    if (Ends[me])
      return NULL;
  }
}

static void run(int me) {
  if (!Alive[me])
    EXPECT(pthread_create(&Ids[me], NULL, work, (void *)(intptr_t)me) == 0);
  Alive[me] = true;
  sem_post(&Go[me]);
  wait_for(&Back);
  if (!Ends[me])
    return;
  pthread_join(Ids[me], NULL);
  Alive[me] = false;
  Depth[me] = 0;
  Stale[me] = (fh_mark_t){0};
  for (struct block *block = Live; block < Live + Blocks; ++block)
    if (block->owner == me)
      block->bytes = NULL; // gone with its thread
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  (void)count, (void)arguments;
  heaps_start();
  for (int i = 0; i < Threads; ++i)
    sem_init(&Go[i], 0, 0);
  sem_init(&Back, 0, 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input.at = data;
  Input.end = data + size;
  Seeds = 0;
  AlignmentMax = byte() & 1 ? 23 : 13;
  while (Input.at < Input.end)
    run((int)(byte() % Threads));
  Limited = false;
  fhi_options.limit = SIZE_MAX;
  CleaningUp = true;
  for (int i = 0; i < Threads; ++i)
    run(i);
  CleaningUp = false;
  EXPECT(fhi_mapped_bytes() < (size_t)512 << 20); // what is freed comes back
  return 0;
}
