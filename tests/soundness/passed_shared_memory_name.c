// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the name of shared memory: shm_open, found in its folder.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <dirent.h>

static int set(union word *w) {
  union word name[3] = {{.text = {'/', 'f', 'h', 's', 'o', 'u', 'n', 'd'}}, *w, {NULL}};
  return shm_open(name[0].text, O_CREAT | O_EXCL | O_RDWR, 0600) >= 0;
}

static void get(union word *w) {
  DIR *d = opendir("/dev/shm");
  EXPECT(d);
  for (struct dirent *e; (e = readdir(d));)
    if (strncmp(e->d_name, "fhsound", 7) == 0)
      strcpy(w->text, e->d_name + 7);
  closedir(d);
  // The folder is everybody's: the name goes as soon as it is read.
  EXPECT(chdir("/dev/shm") == 0);
  union word name[3] = {{.text = "fhsound"}, {NULL}};
  EXPECT(unlink(strcat(name[0].text, w->text)) == 0);
}
