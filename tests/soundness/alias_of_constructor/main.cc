// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: a class's complete constructor and destructor, C1 and D1, are aliases of C2 and D2, in another file.
//
// steps: CXX -c main.cc; CXX -c other.cc; LINKXX main.o other.o
#include "buffer.h"

int main() {
  int *mine = new int(0);   // local
  int *theirs = new int(0); // not-local
  {
    Quiet quiet(mine);
    EXPECT(*quiet.Block == 1);
  }
  {
    Loud loud(theirs);
    EXPECT(*theirs == 1);
  }
  EXPECT(*theirs == 2);
  delete mine;
  delete theirs;
  return 0;
}
