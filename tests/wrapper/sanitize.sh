#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sanitize.sh - UBSan's own checks change no verdict: every site as without it, in each of its kinds, trapping, recovering or not.
. "$(dirname "$0")/common.sh"

cat >list.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long value; int parts[4]; char end; };
static long sum(struct node *p, int i) {
  long all = 0;
  for (; p; p = p->next)
    all += p->value + p->parts[i] * 3;
  return all;
}
int main(int argc, char **argv) {
  struct node *first = 0;
  for (int i = 0; i < argc + 3; ++i) {
    struct node *p = malloc(sizeof *p);
    if (!p)
      return 1;
    p->next = first;
    p->value = i << argc;
    for (int j = 0; j < 4; ++j)
      p->parts[j] = i & 3;
    first = p;
  }
  long (*call)(struct node *, int) = sum;
  long result = call(first, argc & 3), *numbers = calloc((size_t)argc + 10, sizeof *numbers);
  for (int i = 0; i < argc; ++i)
    numbers[i] = result + i;
  int *inside = (int *)((char *)numbers + 4);
  result += *inside;
  free(numbers);
  while (first) {
    struct node *next = first->next;
    free(first);
    first = next;
  }
  printf("%ld\n", result);
  return argv == 0;
}
C
cat >shapes.cpp <<'C'
#include <cstdio>
#include <vector>
struct Shape { virtual int area() const { return 0; } virtual ~Shape() {} int *room = new int[4]; };
struct Square : Shape { int side; explicit Square(int s) : side(s) {} int area() const override { return side * side; } };
int main(int argc, char **) {
  Square *one = new Square(argc);
  Shape *same = one;
  std::vector<int> numbers(argc, 2);
  int result = same->area() + static_cast<Square *>(same)->side + numbers[argc - 1];
  delete[] one->room;
  delete same;
  std::printf("%d\n", result);
}
C
verdicts() { python3 -c 'import json; print([(s["line"], s["column"], s["verdict"]) for s in json.load(open("r.json"))["sites"]])'; }
for level in 0 2; do
  silent "$FCC" -O$level list.c -o prog --freehold-report=r.json; verdicts >c.want
  silent "$FCXX" -O$level -c shapes.cpp -o shapes.o
  silent "$FCXX" -O$level shapes.o -o prog --freehold-report=r.json; verdicts >cxx.want
  grep -q "'local'" c.want || fail "no local site: $(cat c.want)"
  for kind in undefined integer bounds alignment null object-size function pointer-overflow,local-bounds \
    "undefined -fsanitize-trap=undefined" "undefined -fno-sanitize-recover=all" "undefined -fsanitize-minimal-runtime -fno-sanitize=vptr"; do
    # shellcheck disable=SC2086
    silent "$FCC" -O$level -w -fsanitize=$kind list.c -o prog --freehold-report=r.json
    verdicts >have; cmp -s c.want have || fail "-O$level -fsanitize=$kind: $(cat have), without: $(cat c.want)"
    expect 0 ./prog
  done
  for kind in undefined vptr "undefined -fsanitize-trap=undefined -fno-sanitize=vptr"; do
    # shellcheck disable=SC2086
    silent "$FCXX" -O$level -w -fsanitize=$kind shapes.cpp -o prog --freehold-report=r.json
    verdicts >have; cmp -s cxx.want have || fail "-O$level -fsanitize=$kind: $(cat have), without: $(cat cxx.want)"
    expect 0 ./prog; [ ! -s err ] || fail "C++ under -fsanitize=$kind: $(cat err)"
  done
done
exit 0
