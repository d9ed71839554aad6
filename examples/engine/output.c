/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * output.c - the output buffer.
 */
#include "output.h"

#include <string.h>

#include "alloc.h"

static void grow(size_t least ENGINE_DC) {
  size_t room = OG(room) ? OG(room) : 4096;
  while (room < least)
    room *= 2;
  char *text = pemallocts(room, true ENGINE_CC);
  if (OG(text)) {
    memcpy(text, OG(text), OG(used));
    pefreets(OG(text), true ENGINE_CC);
  }
  OG(text) = text;
  OG(room) = room;
}

void output_write(const char *text, size_t length ENGINE_DC) {
  if (OG(used) + length > OG(room))
    grow(OG(used) + length ENGINE_CC);
  memcpy(OG(text) + OG(used), text, length);
  OG(used) += length;
}

void output_clear(ENGINE_D) { OG(used) = 0; }
