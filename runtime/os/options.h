// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// options.h - what the FREEHOLD_* environment asked of the runtime. Read once at start, ignored in setuid programs.
#ifndef FHI_OPTIONS_H
#define FHI_OPTIONS_H

#include "os.h"

enum fhi_stats_at_exit { FHI_STATS_NONE, FHI_STATS_TEXT, FHI_STATS_JSON };

struct fhi_options {
  size_t limit; // bytes the heap may map; SIZE_MAX: no limit
  bool off;     // local functions hand out shared blocks
  enum fhi_stats_at_exit stats;
};
extern FHI_HIDDEN struct fhi_options fhi_options;

// Fills fhi_options and warns of names it does not know, and of known ones whose feature is not built, one line each.
FHI_HIDDEN void fhi_options_read(char **environment);

// The value of FREEHOLD_CHECK: 0 off, 1 check, 2 guard; `otherwise` where it is not set, or none of these. Allocates nothing and
// says nothing: it is asked before the first block is given out.
FHI_HIDDEN int fhi_options_check(char **environment, int otherwise);

// False if FREEHOLD_KEYS=0 switches the use of protection keys off. Asked as early.
FHI_HIDDEN bool fhi_options_keys(char **environment);

#endif
