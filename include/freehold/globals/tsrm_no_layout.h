/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals/tsrm_no_layout.h - a layout without resources: 32 KiB of reserve, more than PHP's own ten and the usual modules need.
 */
#ifndef FH_LAYOUT_tsrm_H
#define FH_LAYOUT_tsrm_H
#define FH_LAYOUT_tsrm_RESERVE 128
#ifndef FH_LAYOUT_tsrm_SIZE
#define FH_LAYOUT_tsrm_SIZE 32768
#endif
#define FH_LAYOUT_tsrm(X)
#endif
