// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// options.c - parses the FREEHOLD_* environment from the table in options.def.
#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct fhi_options fhi_options = {.limit = SIZE_MAX, .off = false};

struct option {
  const char *name;
  const char *values;
  bool built;
};
static const struct option Table[] = {
#define FREEHOLD_OPTION(NAME, VALUES, BUILT, HELP) {#NAME, VALUES, BUILT},
#include "options.def"
#undef FREEHOLD_OPTION
};
enum { TableSize = sizeof Table / sizeof Table[0], Prefix = sizeof "FREEHOLD_" - 1, LongestName = 32 };

// Edit distance of a name of length bytes (cut at LongestName) and a known one, by the usual row recurrence.
static unsigned distance(const char *name, size_t length, const char *known) {
  unsigned row[LongestName + 1];
  size_t width = strlen(known);
  if (length > LongestName)
    length = LongestName;
  for (size_t j = 0; j <= width; ++j)
    row[j] = (unsigned)j;
  for (size_t i = 1; i <= length; ++i) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= width; ++j) {
      unsigned best = diagonal + (name[i - 1] != known[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best)
        best = row[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[width];
}

static void warn_unknown(const char *name, size_t length) {
  unsigned nearest = 0, best = ~0u;
  for (unsigned i = 0; i < TableSize; ++i) {
    unsigned d = Table[i].values[0] ? distance(name, length, Table[i].name) : ~0u;
    if (d < best) {
      best = d;
      nearest = i;
    }
  }
  char shown[64] = {0};
  memcpy(shown, name, length < sizeof shown - 1 ? length : sizeof shown - 1);
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "warning: unknown environment variable FREEHOLD_");
  fhi_line_text(&line, shown);
  if (best <= 3 && best <= (length + 1) / 3) {
    fhi_line_text(&line, "; did you mean FREEHOLD_");
    fhi_line_text(&line, Table[nearest].name);
    fhi_line_text(&line, "?");
  }
  fhi_line_write(&line);
}

static void warn_value(const char *name, const char *what, const char *values) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "warning: FREEHOLD_");
  fhi_line_text(&line, name);
  fhi_line_text(&line, what);
  fhi_line_text(&line, values);
  fhi_line_write(&line);
}

// 123, 64K, 512M, 2G: bytes; 0 if it is no size.
static size_t parse_size(const char *text) {
  char *end;
  if (*text < '0' || *text > '9')
    return 0;
  unsigned long long number = strtoull(text, &end, 10);
  unsigned shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
  if (end[shift != 0] != '\0' || number > (SIZE_MAX >> shift))
    return 0;
  return (size_t)number << shift;
}

static int parse_check(const char *value, int otherwise) {
  return strcmp(value, "off") == 0 ? 0 : strcmp(value, "check") == 0 ? 1 : strcmp(value, "guard") == 0 ? 2 : otherwise;
}

// The value of a variable whose name is given with its `=`, NULL where it is not set.
static const char *early(char **environment, const char *name) {
  if (!environment || getauxval(AT_SECURE) != 0)
    return NULL;
  size_t length = strlen(name);
  for (char **entry = environment; *entry; ++entry)
    if (strncmp(*entry, name, length) == 0)
      return *entry + length;
  return NULL;
}

int fhi_options_check(char **environment, int otherwise) {
  const char *value = early(environment, "FREEHOLD_CHECK=");
  return value ? parse_check(value, otherwise) : otherwise;
}

bool fhi_options_keys(char **environment) {
  const char *value = early(environment, "FREEHOLD_KEYS=");
  return !value || strcmp(value, "0") != 0;
}

static void apply(const struct option *option, const char *value) {
  if (strcmp(option->name, "LIMIT") == 0) {
    size_t limit = parse_size(value);
    if (limit != 0)
      fhi_options.limit = limit;
    else
      warn_value("LIMIT", " is ignored: its value is no size as ", "512M");
  } else if (strcmp(option->name, "CHECK") == 0) {
    if (parse_check(value, -1) < 0) // its value is read earlier, at the first allocation
      warn_value("CHECK", " is ignored: its value is none of ", option->values);
  } else if (strcmp(option->name, "KEYS") == 0) {
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) // its value is read earlier, too
      warn_value("KEYS", " is ignored: its value is none of ", option->values);
  } else if (strcmp(option->name, "OFF") == 0) {
    fhi_options.off = strcmp(value, "1") == 0;
  } else if (strcmp(option->name, "STATS") == 0) {
    if (strcmp(value, "1") == 0)
      fhi_options.stats = FHI_STATS_TEXT;
    else if (strcmp(value, "json") == 0)
      fhi_options.stats = FHI_STATS_JSON;
    else if (value[0] != '\0' && strcmp(value, "0") != 0)
      warn_value("STATS", " is ignored: its value is none of ", option->values);
  } else if (!option->built && value[0] != '\0' && strcmp(value, "0") != 0 && strcmp(value, "off") != 0) {
    warn_value(option->name, " is known, but its feature is not built yet", "");
  }
}

void fhi_options_read(char **environment) {
  if (!environment || getauxval(AT_SECURE) != 0)
    return;
  for (char **entry = environment; *entry; ++entry) {
    if (strncmp(*entry, "FREEHOLD_", Prefix) != 0)
      continue;
    const char *name = *entry + Prefix, *value = strchr(name, '=');
    if (!value)
      continue;
    size_t length = (size_t)(value - name);
    unsigned i = 0;
    while (i < TableSize && (strlen(Table[i].name) != length || memcmp(Table[i].name, name, length) != 0))
      ++i;
    if (i == TableSize)
      warn_unknown(name, length);
    else
      apply(&Table[i], value + 1);
  }
}
