// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address in an internet address: inet_ntop prints it, inet_pton reads it.
#include "passed.h"
#include <arpa/inet.h>

static char text[64];

static int set(union word *w) {
  union word bytes[2] = {{NULL}, *w};
  return inet_ntop(AF_INET6, bytes, text, sizeof text) != NULL;
}

static void get(union word *w) {
  union word bytes[2] = {*w, *w};
  EXPECT(inet_pton(AF_INET6, text, bytes) == 1);
  *w = bytes[1];
}
