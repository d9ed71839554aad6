// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address in an internet address: getnameinfo prints it, getaddrinfo reads it.
#include "passed.h"
#include <netdb.h>
#include <netinet/in.h>

static char text[64];

static int set(union word *w) {
  struct sockaddr_in6 a = {.sin6_family = AF_INET6};
  memcpy(&a.sin6_addr.s6_addr[8], w, sizeof *w);
  return getnameinfo((struct sockaddr *)&a, sizeof a, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0;
}

static void get(union word *w) {
  struct addrinfo *list, wanted = {.ai_family = AF_INET6, .ai_flags = AI_NUMERICHOST};
  EXPECT(getaddrinfo(text, NULL, &wanted, &list) == 0);
  memcpy(w, &((struct sockaddr_in6 *)list->ai_addr)->sin6_addr.s6_addr[8], sizeof *w);
}
