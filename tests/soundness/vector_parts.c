// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-15: pointers in vectors of 64-bit lanes and of narrower ones, moved by shuffles, casts and copies of lanes.
#include "soundness.h"

typedef uint64_t two __attribute__((vector_size(16)));
typedef uint32_t four __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
struct cell {
  int *pointer;
};
static struct cell kept[4];

static void *user(void *arg) {
  for (int i = 0; i < 4; i++)
    *kept[i].pointer += 1;
  return arg;
}

static __attribute__((noinline)) two cross(two a, two b) { return __builtin_shufflevector(a, b, 3, 0); }
static __attribute__((noinline)) four cross_narrow(four a, four b) { return __builtin_shufflevector(a, b, 4, 5, 0, 1); }
static __attribute__((noinline)) two lane(two a, struct cell *p, int i) {
  a[i] = (uint64_t)p;
  return a;
}
static __attribute__((noinline)) void put(two v, int i, int *block) { ((struct cell *)v[i])->pointer = block; }

int main(void) {
  struct cell own[4];
  int *blocks[4];
  for (int i = 0; i < 4; i++)
    blocks[i] = calloc(1, sizeof(int)); // not-local
  two mine = {(uint64_t)&own[0], (uint64_t)&own[1]}, theirs = {(uint64_t)&kept[0], (uint64_t)&kept[1]};
  put(cross(mine, theirs), 0, blocks[1]);
  put((two)cross_narrow((four)mine, (four)theirs), 0, blocks[0]);
  put(mine, 1, blocks[0]);
  doubles d = (doubles)theirs;
  d[0] = d[1];
  two back = (two)d;
  back[1] = (uint64_t)&own[2];
  EXPECT(back[0] == (uint64_t)&kept[1]);
  put(lane(mine, &kept[2], 1), 1, blocks[2]);
  two mask = {0, ~0ull}, blend = (mine & ~mask) | ((two){0, (uint64_t)&kept[3]} & mask);
  put(blend, 1, blocks[3]);
  on_thread(user, NULL);
  for (int i = 0; i < 4; i++)
    EXPECT(*blocks[i] == 1);
  return 0;
}
