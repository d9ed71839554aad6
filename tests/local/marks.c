// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// marks.c - marks and resets against a model: a table of the blocks that must be alive, each with its content, its level and the
// way it was allocated. Random operations: allocation by every function and of all sizes, frees by every function (inlined ones
// among them) of blocks of any level, realloc, nested marks, resets to any mark in force, stale marks. Then: memory does not grow
// over 100,000 rounds, and marks in threads that end, in forked children, and under destructors.
#include "../runtime/check.h"

#include "freehold/heap.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>

enum { Blocks = 1500, Depth = 12, Steps = 25000 };

#ifdef FREEHOLD_SANITIZED
static const bool Measured = false; // a sanitizer needs memory of its own, and time
enum { Rounds = 5000, Threads = 30 };
#else
static const bool Measured = true;
enum { Rounds = 100000, Threads = 60 };
#endif

struct block {
  unsigned char *p;
  size_t size;
  unsigned seed;
  int level;
  bool sized; // may be freed by its size
};

struct model {
  struct block blocks[Blocks];
  fh_mark_t marks[Depth], stale[Depth];
  int depth;
  uint64_t random;
};

static uint32_t next(struct model *model, uint32_t below) {
  model->random = model->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((model->random >> 33) % below);
}

// The first and last bytes of a block and some between: a block of megabytes would cost too much.
static void touch(struct block *block, bool write) {
  size_t step = block->size > 4096 ? 509 : 1;
  for (size_t i = 0; i < block->size; i += step) {
    if (write)
      block->p[i] = (unsigned char)(block->seed + i * 7);
    else
      CHECK(block->p[i] == (unsigned char)(block->seed + i * 7));
  }
}

static size_t some_size(struct model *model) {
  switch (next(model, 100)) {
  case 0:
    return next(model, 6u << 20);
  case 1:
  case 2:
    return next(model, 300000);
  case 3:
  case 4:
  case 5:
  case 6:
  case 7:
  case 8:
    return next(model, 40000);
  default:
    return next(model, 700);
  }
}

static void allocate(struct model *model, struct block *block) {
  fh_heap_t *heap = fh_heap_self();
  size_t size = some_size(model);
  *block = (struct block){NULL, size, next(model, 256), model->depth, true};
  switch (next(model, 6)) {
  case 0:
    block->p = fh_heap_malloc(heap, size);
    break;
  case 1:
    block->p = fh_tls_calloc(1, size);
    for (size_t i = 0; i < size; i += size > 4096 ? 61 : 1)
      CHECK(block->p[i] == 0);
    break;
  case 2: {
    size_t alignment = (size_t)16 << next(model, 9);
    block->p = fh_tls_aligned_alloc(alignment, size);
    block->sized = false;
    CHECK(((uintptr_t)block->p & (alignment - 1)) == 0);
    break;
  }
  case 3:
    block->size = 40;
    block->p = fh_tls_malloc(40);
    break;
  default:
    block->p = fh_tls_malloc(size);
  }
  CHECK(block->p);
  touch(block, true);
}

static void release(struct model *model, struct block *block) {
  touch(block, false);
  switch (next(model, 4)) {
  case 0:
    fh_tls_free(block->p);
    break;
  case 1:
    fh_heap_free(fh_heap_self(), block->p);
    break;
  default:
    if (!block->sized)
      fh_tls_free(block->p);
    else if (block->size == 40)
      fh_tls_free_sized(block->p, 40);
    else
      fh_heap_free_sized(fh_heap_self(), block->p, block->size);
  }
  block->p = NULL;
}

static void resize(struct model *model, struct block *block) {
  size_t kept = block->size;
  touch(block, false);
  block->size = some_size(model) + 1;
  block->p = fh_tls_realloc(block->p, block->size);
  CHECK(block->p);
  // As if newly allocated, wherever it lies.
  block->level = model->depth;
  block->sized = true;
  struct block old = *block;
  old.size = kept < block->size ? kept : block->size;
  size_t step = kept > 4096 ? 509 : 1;
  for (size_t i = 0; i < old.size; i += step)
    CHECK(old.p[i] == (unsigned char)(old.seed + i * 7));
  touch(block, true);
}

static void reset(struct model *model, int to) {
  fh_heap_reset(fh_heap_self(), model->marks[to]);
  for (int i = to; i < model->depth; ++i)
    model->stale[i] = model->marks[i];
  model->depth = to;
  for (int i = 0; i < Blocks; ++i)
    if (model->blocks[i].p && model->blocks[i].level > to)
      model->blocks[i].p = NULL;
}

static void step(struct model *model) {
  uint32_t what = next(model, 1000);
  struct block *block = &model->blocks[next(model, Blocks)];
  if (what < 10) {
    if (model->depth < Depth)
      model->marks[model->depth++] = fh_heap_mark(fh_heap_self());
  } else if (what < 20) {
    if (model->depth > 0)
      reset(model, next(model, 3) == 0 ? (int)next(model, (uint32_t)model->depth) : model->depth - 1);
  } else if (what < 25 && !getenv("FREEHOLD_CHECK")) {
    fh_heap_reset(fh_heap_self(), model->stale[next(model, Depth)]); // nothing happens
  } else if (!block->p) {
    allocate(model, block);
  } else if (what < 300) {
    resize(model, block);
  } else {
    release(model, block);
  }
}

// arg: seed. Ends with marks in force.
static void *random_steps(void *argument) {
  struct model *model = calloc(1, sizeof *model);
  model->random = (uintptr_t)argument;
  int count = getenv("FREEHOLD_CHECK") ? Steps / 4 : Steps;
  for (int i = 0; i < count; ++i) {
    step(model);
    if (i % 5000 == 0)
      for (int k = 0; k < Blocks; ++k)
        if (model->blocks[k].p)
          touch(&model->blocks[k], false);
  }
  // What is older than all marks is alive after them.
  if (model->depth > 0)
    reset(model, 0);
  for (int k = 0; k < Blocks; ++k)
    if (model->blocks[k].p)
      release(model, &model->blocks[k]);
  free(model);
  return NULL;
}

static long resident(void) {
  long pages = 0, total = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * 4;
}

// A request's memory: small, large and huge blocks, none of them freed, one or two levels deep.
static void request(unsigned i) {
  fh_heap_t *heap = fh_heap_self();
  fh_mark_t mark = fh_heap_mark(heap);
  for (unsigned k = 0; k < 30; ++k) {
    char *p = fh_heap_malloc(heap, 1 + (i * 37 + k * 101) % 3000);
    char *q = fh_tls_malloc(24);
    if (p && k % 8 == 0)
      p[0] = q[0] = 1;
  }
  if (i % 32 == 0)
    *(char *)fh_tls_malloc(200000) = 1;
  if (i % 1024 == 0)
    memset(fh_tls_malloc(5u << 20), 1, 5u << 20);
  if (i % 4 == 0) {
    fh_mark_t inner = fh_heap_mark(heap);
    CHECK(fh_heap_malloc(heap, 500));
    if (i % 8 == 0)
      fh_heap_reset(heap, inner);
  }
  fh_heap_reset(heap, mark);
}

static void rounds(void) {
  long before = 0;
  char *old = fh_tls_malloc(5000);
  memset(old, 7, 5000);
  unsigned count = getenv("FREEHOLD_CHECK") ? 5000 : Rounds;
  for (unsigned i = 0; i < count; ++i) {
    request(i);
    if (i == 2000)
      before = resident();
  }
  CHECK(resident() <= before + 1024 || !Measured);
  CHECK(old[0] == 7 && old[4999] == 7);
  fh_tls_free(old);
}

// An older block that is resized becomes a younger one, even where it would have fitted.
static void ages(void) {
  static const size_t sizes[] = {64, 1000, 100000, 5000000};
  for (int i = 0; i < 4; ++i) {
    char *old = fh_tls_malloc(sizes[i]);
    old[0] = 1;
    fh_mark_t mark = fh_heap_mark(fh_heap_self());
    char *young = fh_tls_realloc(old, sizes[i]);
    CHECK(young && young != old && young[0] == 1);
    char *again = fh_tls_realloc(young, sizes[i]);
    CHECK(again == young || getenv("FREEHOLD_CHECK")); // guard moves every block that is resized
    fh_heap_reset(fh_heap_self(), mark);
  }
}

// Old blocks freed while a mark is in force are free afterwards, and serve again.
static void frees_stand(void) {
  enum { Count = 20000 };
  static void *blocks[Count];
  long before = 0;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < Count; ++i)
      CHECK((blocks[i] = fh_tls_malloc(100)) != NULL);
    for (int i = 0; i < Count; ++i)
      *(int *)blocks[i] = i;
    fh_mark_t mark = fh_heap_mark(fh_heap_self());
    void *inside = fh_tls_malloc(100);
    for (int i = 0; i < Count; ++i) {
      CHECK(*(int *)blocks[i] == i && blocks[i] != inside);
      if (i % 2)
        fh_tls_free_sized(blocks[i], 100);
      else
        fh_tls_free(blocks[i]);
    }
    fh_heap_reset(fh_heap_self(), mark);
    if (round == 2)
      before = resident();
  }
  CHECK(resident() <= before + 1024 || !Measured);
}

static pthread_key_t Key;

// Marks in a thread's destructors, and marks left in force by a thread that ends.
static void in_destructor(void *argument) {
  fh_heap_t *heap = fh_heap_self();
  fh_mark_t mark = fh_heap_mark(heap);
  char *p = fh_heap_malloc(heap, 1000), *q = fh_heap_malloc(heap, 1000000);
  memset(p, 1, 1000);
  memset(q, 1, 1000000);
  fh_heap_reset(heap, mark);
  fh_heap_free(heap, argument);
}

static void *ends_marked(void *argument) {
  fh_heap_t *heap = fh_heap_self();
  pthread_setspecific(Key, fh_heap_malloc(heap, 64));
  for (int i = 0; i < 3; ++i) {
    fh_heap_mark(heap);
    for (int k = 0; k < 200; ++k)
      memset(fh_heap_malloc(heap, (size_t)k * 50), 5, (size_t)k * 50);
    memset(fh_heap_malloc(heap, 3000000), 5, 3000000);
  }
  return argument;
}

static void threads(void) {
  CHECK(pthread_key_create(&Key, in_destructor) == 0);
  long before = 0;
  for (int i = 0; i < Threads; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, ends_marked, NULL) == 0);
    pthread_join(thread, NULL);
    if (i == 20)
      before = resident();
  }
  CHECK(resident() <= before + 4096 || !Measured);
}

static void child(void) {
  fh_heap_t *heap = fh_heap_self();
  char *old = fh_heap_malloc(heap, 100);
  fh_mark_t mark = fh_heap_mark(heap);
  char *young = fh_heap_malloc(heap, 100);
  strcpy(old, "old");
  strcpy(young, "young");
  pid_t pid = fork();
  if (pid == 0) {
    CHECK(strcmp(old, "old") == 0 && strcmp(young, "young") == 0);
    fh_heap_free(heap, old);
    fh_heap_free(heap, young);
    CHECK(fh_heap_malloc(heap, 3000));
    fh_heap_reset(heap, mark);
    CHECK(fh_heap_malloc(heap, 3000));
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  fh_heap_reset(heap, mark);
  fh_heap_free(heap, old);
}

static void *free_it(void *p) {
  fh_tls_free(p);
  return NULL;
}

// A marked block is this thread's like any other.
static void other_thread(void) {
  fh_heap_mark(fh_heap_self());
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, free_it, fh_tls_malloc(50)) == 0);
  pthread_join(thread, NULL);
}

static void free_dropped(void) {
  fh_mark_t mark = fh_heap_mark(fh_heap_self());
  void *p = fh_tls_malloc(50);
  fh_heap_reset(fh_heap_self(), mark);
  fh_tls_free(p);
}

static void stale(void) {
  fh_mark_t outer = fh_heap_mark(fh_heap_self()), inner = fh_heap_mark(fh_heap_self());
  fh_heap_reset(fh_heap_self(), outer);
  fh_heap_reset(fh_heap_self(), inner);
}

// Without memory for more: NULL, not a block that no reset would free.
static void no_memory(void) {
  fh_mark_t mark = fh_heap_mark(fh_heap_self());
  volatile size_t most = SIZE_MAX / 2;
  errno = 0;
  CHECK(fh_tls_malloc(most) == NULL && errno == ENOMEM);
  fh_heap_reset(fh_heap_self(), mark);
}

// After a reset a freed block is soon given out again. (The hardened heap waits before it does.)
static void serves_again(void) {
  if (getenv("FREEHOLD_CHECK"))
    return;
  fh_heap_t *heap = fh_heap_self();
  char *old = fh_heap_malloc(heap, 48);
  fh_mark_t mark = fh_heap_mark(heap);
  CHECK(fh_heap_malloc(heap, 48));
  fh_heap_reset(heap, mark);
  fh_heap_free(heap, old);
  char *again = fh_heap_malloc(heap, 48);
  for (int i = 0; i < 65536 / 48 && again != old; ++i) {
    fh_heap_free(heap, again);
    again = fh_heap_malloc(heap, 48);
  }
  CHECK(again == old);
  fh_heap_free(heap, again);
}

int main(void) {
#ifdef FREEHOLD_SANITIZED
  extern _Atomic(int) fhi_front_known; // malloc is the sanitizer's: use the local heap all the same
  fhi_front_known = 1;
#endif
  pthread_t thread[3];
  for (uintptr_t i = 0; i < 3; ++i)
    CHECK(pthread_create(&thread[i], NULL, random_steps, (void *)(i + 1)) == 0);
  for (int i = 0; i < 3; ++i)
    pthread_join(thread[i], NULL);
  random_steps((void *)99);
  rounds();
  ages();
  frees_stand();
  serves_again();
  threads();
  child();
  no_memory();
  if (getenv("FREEHOLD_CHECK"))
    STOPS(stale(), "stale mark");
  else
    stale();
  STOPS(other_thread(), "wrong thread");
  STOPS(free_dropped(), "free");
  return 0;
}
