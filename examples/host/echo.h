// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// echo.h - the globals of echo.c, one set for each thread.
#ifndef HOST_ECHO_H
#define HOST_ECHO_H

struct echo_globals {
  char query[64]; // of the request that is being answered, "" between requests
  long served;    // requests of this thread; below 0: destroyed
};

#endif
