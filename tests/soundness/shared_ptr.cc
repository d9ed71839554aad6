// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-15: the last owner, whichever thread it is on, frees the object and its control block.
#include "soundness.h"
#include <memory>

struct Node {
  std::shared_ptr<int> value;
};

static void *owner(void *arg) {
  auto *node = static_cast<Node *>(arg);
  std::shared_ptr<int> mine = std::move(node->value);
  *mine += 1;
  return nullptr;
}

int main() {
  Node *node = new Node;                          // shared: FH102
  node->value = std::shared_ptr<int>(new int(1)); // not-local
  on_thread(owner, node);
  EXPECT(!node->value);
  delete node;
  return 0;
}
