// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fits.c - does the code that registers a resource fit this engine: its mode, the layout it was compiled with, the size? If not,
// a line says what differs and what to do: such code would read and write what is another resource's.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

static void begin(struct fhi_line *line, const fh_globals_t *engine, const char *what) {
  fhi_line_start(line);
  fhi_line_text(line, "globals of ");
  fhi_line_text(line, engine->name);
  fhi_line_text(line, what);
}

const fh_globals_slot_t *fhi_slot(const fh_globals_t *engine, const char *name) {
  for (const fh_globals_slot_t *slot = engine->layout; name && slot && slot->name; ++slot)
    if (strcmp(slot->name, name) == 0)
      return slot;
  return NULL;
}

static int check_size(const fh_globals_t *engine, const fh_globals_slot_t *slot, size_t size) {
  if (!slot || slot->size == size)
    return 0;
  struct fhi_line line;
  begin(&line, engine, ": ");
  fhi_line_text(&line, slot->name);
  fhi_line_text(&line, " has ");
  fhi_line_number(&line, size);
  fhi_line_text(&line, " bytes, the layout it was built with says ");
  fhi_line_number(&line, slot->size);
  fhi_line_text(&line, ": generate the layout again with freehold-layout and rebuild");
  fhi_line_write(&line);
  return FH_GLOBALS_ELAYOUT;
}

// The module reaches the block in its mode: does this engine offer that?
static int check_mode(const fh_globals_t *engine, int mode) {
  mode &= ~FH_GLOBALS_FIXED;
  if (mode == 0 || mode == engine->mode || (mode == engine->also && fhi_engine((fh_globals_t *)(uintptr_t)engine)->gs))
    return 0;
  static const char *const Names[] = {"?", "static", "gs", "cached", "pointer", "passed", "classic"};
  struct fhi_line line;
  begin(&line, engine, " are in mode ");
  fhi_line_text(&line, Names[engine->mode <= 6 ? engine->mode : 0]);
  fhi_line_text(&line, ", a module was compiled for mode ");
  fhi_line_text(&line, Names[mode > 0 && mode <= 6 ? mode : 0]);
  fhi_line_text(&line, ": compile it with the engine's switch");
  fhi_line_write(&line);
  return FH_GLOBALS_EMODE;
}

static void place(struct fhi_line *line, size_t size, size_t offset) {
  fhi_line_number(line, size);
  fhi_line_text(line, " bytes at ");
  fhi_line_number(line, offset);
}

// One of "name offset size".
static int check_line(const fh_globals_t *engine, const char *text) {
  char name[128], *end;
  size_t length = strcspn(text, " ");
  length = length < sizeof name ? length : sizeof name - 1;
  memcpy(name, text, length);
  name[length] = '\0';
  size_t offset = strtoull(text + strcspn(text, " "), &end, 10), size = strtoull(end, NULL, 10);
  const fh_globals_slot_t *slot = fhi_slot(engine, name);
  if (slot && slot->offset == offset && slot->size == size)
    return 0;
  struct fhi_line line;
  begin(&line, engine, ": a module was compiled with a layout that has ");
  fhi_line_text(&line, name);
  fhi_line_text(&line, " of ");
  place(&line, size, offset);
  fhi_line_text(&line, ", the engine's has ");
  if (slot)
    place(&line, slot->size, slot->offset);
  else
    fhi_line_text(&line, "none");
  fhi_line_text(&line, ": compile it with the engine's headers");
  fhi_line_write(&line);
  return FH_GLOBALS_ELAYOUT;
}

// What the module knows must be so; that the engine has more does not matter.
static int check_layout(const fh_globals_t *engine, const char *lines) {
  int error = 0;
  while (lines && *lines && !error) {
    error = check_line(engine, lines);
    lines += strcspn(lines, ",");
    lines += *lines == ',';
  }
  return error;
}

int fhi_fits(const fh_globals_t *engine, const fh_globals_resource_t *as) {
  int error = check_mode(engine, as->mode);
  if (!error)
    error = check_layout(engine, as->layout);
  return error ? error : check_size(engine, fhi_slot(engine, as->name), as->size);
}
