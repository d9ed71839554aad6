// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream that writes and a stream that reads are made by one function and ended by one that looks at the mode, which the analysis does
// not follow: so a checksum may be an address, as far as it can tell. The witness names each block by the calls that led to it, so
// that one sees whose field is taken for whose. zlib's gzclose is the original.
// RUN: %freehold analyze --models=%models --base=%S %s -- -O1 -fno-inline | FileCheck %s
// CHECK: witness-of-wrappers.c:[[#MAKE:]]:{{[0-9]+}}: shared: stored in global sum [FH101] malloc(16) in make
// CHECK: stored in the field at offset 8 of the block allocated at witness-of-wrappers.c:[[#MAKE]] (via witness-of-wrappers.c:[[#MAKE+1]], witness-of-wrappers.c:[[#]], witness-of-wrappers.c:[[#]])
// CHECK: is read back from the field at offset 8 of the block allocated at witness-of-wrappers.c:[[#MAKE]] (via witness-of-wrappers.c:[[#MAKE+1]]
// CHECK: the block is stored in global sum
#include <stdlib.h>
struct stream {
  long mode;
  void *state;
};
struct writer {
  long count;
  char *buffer;
};
struct reader {
  long count;
  long check;
};
long sum;

static void *make(void) { return malloc(16); }
static struct writer *writer_state(void) { return make(); }
static struct reader *reader_state(void) { return make(); }
static struct stream *open_stream(long mode) {
  struct stream *s = make();
  if (s)
    s->mode = mode;
  return s;
}
static void begin_write(struct stream *s) {
  struct writer *w = writer_state();
  w->buffer = make();
  s->state = w;
}
static void begin_read(struct stream *s) {
  struct reader *r = reader_state();
  r->check = 1;
  s->state = r;
}
static void end(struct stream *s) {
  if (s->mode == 1) {
    if (!s->state)
      begin_write(s);
    free(((struct writer *)s->state)->buffer);
  } else {
    sum = ((struct reader *)s->state)->check;
  }
  free(s->state);
  free(s);
}
int main(void) {
  struct stream *out = open_stream(1), *in = open_stream(2);
  begin_write(out);
  begin_read(in);
  end(out);
  end(in);
  return 0;
}
