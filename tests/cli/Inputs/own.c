// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local variables of every kind: exported, hidden, an array reached by index, one of another library.
extern _Thread_local int other;
_Thread_local int counter;
_Thread_local int slots[100];
static _Thread_local char *place;

__attribute__((noinline)) int count(int i) {
  slots[i] += ++counter;
  place = (char *)&slots[3];
  return slots[i];
}
char *where(void) { return place; }
#ifdef OTHER
int theirs(void) { return other; }
#endif
#ifdef MAIN
int main(int argc, char **argv) { return count(argc) + (where() == argv[0]); }
#endif
