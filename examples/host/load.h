// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load.h - a load generator that reads every answer and knows the right one.
#ifndef HOST_LOAD_H
#define HOST_LOAD_H

#include <stdint.h>

struct load_options {
  const char *plan; // file: what to ask, and what must come
  int port, clients;
  uint64_t requests;
  unsigned seconds; // gives up after so long
};
// Exit code: 0 all answers were right, 1 not so, 2 the plan cannot be read.
int load_run(const struct load_options *options);

#endif
