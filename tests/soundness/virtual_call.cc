// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-21: a virtual function publishes; a dynamic_cast finds the object from its second base.
#include "soundness.h"

struct Named {
  virtual ~Named() {}
  long name = 0;
};
struct Sink {
  virtual ~Sink() {}
  virtual void put(int *p) = 0;
};
static int *kept;
struct Both : Named, Sink {
  void put(int *p) override { kept = p; }
};

static void *user(void *arg) {
  *kept += 1;
  Named *named = dynamic_cast<Named *>(static_cast<Sink *>(arg));
  named->name = 4;
  return nullptr;
}

int main() {
  int *block = new int(1); // shared: FH101
  Both *both = new Both;   // not-local
  Sink *sink = both;
  sink->put(block);
  on_thread(user, sink);
  EXPECT(*block == 2 && both->name == 4);
  delete both;
  delete block;
  return 0;
}
