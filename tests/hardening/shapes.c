// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shapes.c - FREEHOLD_CHECK=check|guard stops every shape of misuse, of blocks of both kinds and of all sizes, with the right
// line. A table of shapes; each runs in a child of its own and does one wrong thing. The mode comes from the environment, as a
// user gives it.
#include "../runtime/heaps.h"

#include "../../runtime/heap/hard.h"

#include <pthread.h>

enum { Local = 1, Shared = 2, Both = 3 };
// small: many in a page, or few; large: pages of their own; huge: a mapping of their own.
enum { Many = 1, Few = 2, Small = 3, Large = 4, Huge = 8, Any = 15 };
static const struct {
  int of;
  size_t size;
} Sizes[] = {{Many, 1},    {Many, 40},     {Many, 64},      {Many, 1000},   {Few, 5000},
             {Few, 31999}, {Large, 32768}, {Large, 100000}, {Huge, 5000000}};

struct block {
  int kind;
  size_t size;
  char *p;
};

static void *make(const struct block *b) { return b->kind == Local ? fhi_local_malloc(b->size) : fhi_shared_malloc(b->size); }

static void *free_it(void *p) {
  fhi_free(p);
  return NULL;
}
static void *free_it_twice(void *p) {
  fhi_free(p);
  fhi_free(p);
  return NULL;
}
static void on_other_thread(void *(*body)(void *), void *p) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, p) == 0);
  pthread_join(thread, NULL);
}

static void twice(struct block *b) { free_it_twice(b->p); }
static void twice_with_others_between(struct block *b) {
  void *others[40];
  for (int i = 0; i < 40; ++i)
    others[i] = make(b);
  fhi_free(b->p);
  for (int i = 0; i < 10; ++i)
    fhi_free(others[i]);
  fhi_free(b->p);
}
// Where a page has many blocks the next ones are others, so that the freed one is not mistaken for one of them.
static void twice_with_a_new_one_between(struct block *b) {
  fhi_free(make(b));
  for (int i = 0; i < 15; ++i)
    make(b);
  fhi_free(b->p);
  CHECK(make(b) != b->p);
  fhi_free(b->p);
}
static void here_then_there(struct block *b) {
  fhi_free(b->p);
  on_other_thread(free_it, b->p);
}
static void there_then_here(struct block *b) {
  on_other_thread(free_it, b->p);
  fhi_free(b->p);
}
static void twice_there(struct block *b) { on_other_thread(free_it_twice, b->p); }
static void after_realloc_moved_it(struct block *b) {
  CHECK(fhi_realloc(FHI_SHARED, b->p, 4 * b->size + 100) != b->p);
  fhi_free(b->p);
}
static void realloc_to_nothing(struct block *b) {
  CHECK(!fhi_realloc(FHI_SHARED, b->p, 0));
  fhi_free(b->p);
}
static void realloc_freed(struct block *b) {
  fhi_free(b->p);
  fhi_realloc(FHI_SHARED, b->p, 10);
}
static void size_of_freed(struct block *b) {
  fhi_free(b->p);
  fhi_usable_size(b->p);
}
static void inside(struct block *b) { fhi_free(b->p + (b->size + 1) / 2); }
static void last_byte(struct block *b) { fhi_free(b->p + b->size - 1 + (b->size == 1)); }
static void realloc_inside(struct block *b) { fhi_realloc(FHI_SHARED, b->p + 16, 10); }
static void size_inside(struct block *b) { fhi_usable_size(b->p + 16); }
static void one_byte_over(struct block *b) {
  b->p[b->size] = 0;
  fhi_free(b->p);
}
static void some_bytes_over(struct block *b) {
  for (size_t i = 0; i < 8; ++i)
    b->p[b->size + i] = (char)i;
  fhi_free(b->p);
}
static void over_then_realloc(struct block *b) {
  b->p[b->size] = 0;
  fhi_realloc(FHI_SHARED, b->p, 2 * b->size + 100);
}
static void over_then_asked(struct block *b) {
  b->p[b->size] = 0;
  fhi_usable_size(b->p);
}
static void over_after_realloc_in_place(struct block *b) {
  char *p = fhi_realloc(FHI_SHARED, b->p, b->size - b->size / 8);
  p[b->size - b->size / 8] = 0;
  fhi_free(p);
}
static void over_when_reset(struct block *b) {
  fh_mark_t mark = fh_heap_mark(fh_heap_self());
  b->p = make(b);
  b->p[b->size] = 0;
  fh_heap_reset(fh_heap_self(), mark);
}
static void freed_there_when_over(struct block *b) {
  b->p[b->size] = 0;
  on_other_thread(free_it, b->p);
}
static void wrong_size(struct block *b) { fhi_free_sized_any(b->p, b->size + 1); }
static void much_too_small(struct block *b) { fhi_free_sized_any(b->p, b->size / 2 + 3 * (b->size < 8)); }
static void wrong_class(struct block *b) {
  (void)b;
  fh_tls_free_sized(fh_tls_malloc_class(3), 48);
}
static void write_after_free(struct block *b) {
  fhi_free(b->p);
  b->p[b->size / 2 < 30 ? b->size / 2 : 30] ^= 1;
  for (int i = 0; i < 70000; ++i)
    fhi_free(make(b));
}
static void write_after_free_there(struct block *b) {
  on_other_thread(free_it, b->p);
  b->p[0] ^= 1;
  for (int i = 0; i < 70000; ++i)
    fhi_free(make(b));
}
static void *grow_it(void *p) { return fhi_realloc(FHI_SHARED, p, 1 << 22); }
static void freed_there(struct block *b) { on_other_thread(free_it, b->p); }
static void grown_there(struct block *b) { on_other_thread(grow_it, b->p); }
static void *make_here(void *argument) {
  struct block *b = argument;
  b->p = make(b);
  return NULL;
}
static void of_a_thread_that_ended(struct block *b) {
  on_other_thread(make_here, b);
  fhi_free(fhi_local_malloc(8));
  fhi_lock();
  fhi_threads_reap();
  fhi_unlock();
  fhi_free(b->p);
}
static void on_the_stack(struct block *b) {
  char place[64];
  (void)b;
  fhi_free(place + 16);
}
static void static_variable(struct block *b) {
  static char place[64];
  (void)b;
  fhi_free(place + 16);
}
static void almost_null(struct block *b) {
  (void)b;
  fhi_free((void *)24); // NOLINT
}
static void never_given_out(struct block *b) {
  fhi_free((char *)((uintptr_t)b->p & ~(FHI_SLOT_SIZE - 1)) + (FHI_SLOT_SIZE - FHI_PAGE_SIZE));
}
// What only guard sees, and sees at once.
static void read_behind(struct block *b) { (void)*(volatile char *)(b->p + ((b->size + 15) & ~(size_t)15)); }
static void read_before(struct block *b) { (void)*(volatile char *)((uintptr_t)b->p - FHI_SYSTEM_PAGE); }
static void read_after_free(struct block *b) {
  fhi_free(b->p);
  (void)*(volatile char *)b->p;
}

// Blocks of another class push it out of the quarantine.
static void written_in_quarantine(struct block *b) {
  fhi_free(b->p);
  b->p[b->size / 2] ^= 1;
  for (int i = 0; i < 100; ++i)
    fhi_free(fhi_local_malloc(9000)), fhi_free(fhi_shared_malloc(9000));
}

static const struct {
  const char *name;
  void (*run)(struct block *);
  int kinds, sizes;
  bool guard_only;
  const char *line; // after "freehold: "
} Shapes[] = {
    {"twice", twice, Both, Any, false, "double free: block 0x"},
    {"twice, others between", twice_with_others_between, Both, Small | Large, false, "double free: block 0x"},
    {"twice, a new one between", twice_with_a_new_one_between, Both, Many, false, "double free: block 0x"},
    {"here, then there", here_then_there, Both, Any, false, "double free: block 0x"},
    {"there, then here", there_then_here, Shared, Any, false, "double free: block 0x"},
    {"twice there", twice_there, Shared, Any, false, "double free: block 0x"},
    {"after realloc moved it", after_realloc_moved_it, Both, Any, false, "double free: block 0x"},
    {"realloc to nothing", realloc_to_nothing, Both, Any, false, "double free: block 0x"},
    {"realloc after free", realloc_freed, Both, Any, false, "use after free: block 0x"},
    {"malloc_usable_size after free", size_of_freed, Both, Any, false, "use after free: block 0x"},
    {"free inside", inside, Both, Any, false, "invalid free: 0x"},
    {"free of the last byte", last_byte, Both, Any, false, "invalid free: 0x"},
    {"realloc inside", realloc_inside, Both, Any, false, "invalid realloc: 0x"},
    {"malloc_usable_size inside", size_inside, Both, Any, false, "invalid malloc_usable_size: 0x"},
    {"one byte over", one_byte_over, Both, Any, false, "overflow: block 0x"},
    {"some bytes over", some_bytes_over, Both, Any, false, "overflow: block 0x"},
    {"over, then realloc", over_then_realloc, Both, Any, false, "overflow: block 0x"},
    {"over, then asked for its size", over_then_asked, Both, Any, false, "overflow: block 0x"},
    {"over after realloc in place", over_after_realloc_in_place, Both, Any, false, "overflow: block 0x"},
    {"over, freed there", freed_there_when_over, Shared, Any, false, "overflow: block 0x"},
    {"over, then reset", over_when_reset, Local, Any, false, "overflow: block 0x"},
    {"sized free, one too many", wrong_size, Both, Any, false, "wrong size: block 0x"},
    {"sized free, too few", much_too_small, Both, Any, false, "wrong size: block 0x"},
    {"sized free of another class", wrong_class, Local, Small, false, "wrong size: block 0x"},
    {"write after free", write_after_free, Both, Small, false, "write after free: block 0x"},
    {"write after free there", write_after_free_there, Shared, Small, false, "write after free: block 0x"},
    {"local block freed there", freed_there, Local, Any, false, "wrong thread: block 0x"},
    {"local block grown there", grown_there, Local, Any, false, "wrong thread: block 0x"},
    {"local block of a dead thread", of_a_thread_that_ended, Local, Any, false, "wrong thread: block 0x"},
    {"on the stack", on_the_stack, Shared, Small, false, "invalid free: 0x"},
    {"static variable", static_variable, Shared, Small, false, "invalid free: 0x"},
    {"almost null", almost_null, Shared, Small, false, "invalid free: 0x18 "},
    {"never given out", never_given_out, Both, Small, false, "invalid free: 0x"},
    {"written in quarantine", written_in_quarantine, Both, Small, true, "write after free: block 0x"},
    {"read behind", read_behind, Both, Large | Huge, true, "overflow: block 0x"},
    {"read before", read_before, Both, Large | Huge, true, "overflow: block 0x"},
    {"read after free", read_after_free, Both, Large | Huge, true, "use after free: block 0x"},
};

// The child's line must name the block's size, its owner and this thread; lines about pointers that are no blocks cannot.
static void run(unsigned shape, int kind, size_t size) {
  struct block b = {.kind = kind, .size = size};
  char expected[128], said[2048] = {0};
  int ends[2], status;
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    alarm(60);
    b.p = make(&b);
    memset(b.p, 0x5a, size);
    Shapes[shape].run(&b);
    _exit(0);
  }
  close(ends[1]);
  for (ssize_t got, length = 0; (got = read(ends[0], said + length, sizeof said - 1 - (size_t)length)) > 0; length += got)
    ;
  close(ends[0]);
  waitpid(child, &status, 0);
  snprintf(expected, sizeof expected, "freehold: %s", Shapes[shape].line);
  const char *end = strchr(said, '\n');
  bool right = strncmp(said, expected, strlen(expected)) == 0 && end && end[1] == '\0' && strstr(said, "thread ");
  snprintf(expected, sizeof expected, "(%zu bytes", size);
  if (strstr(Shapes[shape].line, "block") && strcmp(Shapes[shape].name, "local block of a dead thread") != 0 &&
      Shapes[shape].run != wrong_class && Shapes[shape].run != over_after_realloc_in_place)
    right = right && strstr(said, expected) && strstr(strstr(said, "thread ") + 1, "thread ");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && right)
    return;
  fprintf(stderr, "%s, %s block of %zu bytes: status %x, said \"%s\"\n", Shapes[shape].name, kind == Local ? "local" : "shared",
          size, (unsigned)status, said);
  _exit(1);
}

int main(void) {
  unsigned runs = 0;
  heaps_start();
  CHECK(fhi_hardened());
  signal(SIGSEGV, SIG_DFL); // a sanitizer has a handler of its own
  fhi_guard_handler();
  fhi_free(fhi_local_malloc(8));
  for (unsigned shape = 0; shape < sizeof Shapes / sizeof Shapes[0]; ++shape) {
    if (Shapes[shape].guard_only && !fhi_guard())
      continue;
    for (int kind = Local; kind <= Shared; ++kind)
      for (unsigned i = 0; i < sizeof Sizes / sizeof Sizes[0]; ++i)
        if (Shapes[shape].kinds & kind && Shapes[shape].sizes & Sizes[i].of) {
          run(shape, kind, Sizes[i].size);
          ++runs;
        }
  }
  printf("%u programs that did one wrong thing were stopped\n", runs);
  return 0;
}
