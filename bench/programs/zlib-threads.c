// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zlib-threads - the paper's zlib benchmark in our words: many threads use zlib at once, each on data of its own. A thread
// compresses and decompresses buffers with deflate and inflate and takes a file through the gz layer, and checks both round
// trips. A file is closed by gzclose_w or gzclose_r, as zlib's manual offers: after gzclose, which may do either, an analysis
// that does not follow the order of events must let deflate work on inflate's state (bench/README.md). The streams lie on the
// threads' stacks, so all of zlib's own memory is a thread's own. Linked with zlib's real source.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <zlib.h>

static long threads = 4, rounds = 60, size = 16384, level = 1, files = 8;
static const char *folder = "/tmp";
static atomic_ulong total, operations;

/// Text of words from a small list: it compresses about as well as prose does.
static void fill(unsigned char *text, size_t length, uint64_t *random) {
  static const char words[8][9] = {"thread ", "heap ", "local ", "shared ", "escape ", "owner ", "page ", "block\n"};
  size_t at = 0;
  while (at < length) {
    const char *word = words[bench_random(random) >> 61];
    while (*word && at < length)
      text[at++] = (unsigned char)*word++;
    if ((bench_random(random) & 7) == 0 && at < length)
      text[at++] = (unsigned char)('0' + bench_random(random) % 10);
  }
}

static size_t compress_block(const unsigned char *in, size_t length, unsigned char *out, size_t room) {
  z_stream stream = {0};
  if (deflateInit(&stream, (int)level) != Z_OK)
    bench_die("deflateInit failed");
  stream.next_in = (Bytef *)in;
  stream.avail_in = (uInt)length;
  stream.next_out = out;
  stream.avail_out = (uInt)room;
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    bench_die("deflate did not finish");
  size_t done = stream.total_out;
  deflateEnd(&stream);
  return done;
}

static size_t expand_block(const unsigned char *in, size_t length, unsigned char *out, size_t room) {
  z_stream stream = {0};
  if (inflateInit(&stream) != Z_OK)
    bench_die("inflateInit failed");
  stream.next_in = (Bytef *)in;
  stream.avail_in = (uInt)length;
  // The output is given in two parts, so that inflate needs its window.
  stream.next_out = out;
  stream.avail_out = (uInt)(room / 2);
  int state = inflate(&stream, Z_NO_FLUSH);
  if (state == Z_OK || state == Z_BUF_ERROR) {
    stream.avail_out = (uInt)(room - room / 2);
    state = inflate(&stream, Z_FINISH);
  }
  if (state != Z_STREAM_END)
    bench_die("inflate did not finish");
  size_t done = stream.total_out;
  inflateEnd(&stream);
  return done;
}

static void through_file(const char *path, const unsigned char *in, unsigned char *back, size_t length) {
  gzFile file = gzopen(path, "wb1");
  if (!file)
    bench_die("gzopen for writing failed");
  if (gzwrite(file, in, (unsigned)length) != (int)length || gzclose_w(file) != Z_OK)
    bench_die("gzwrite failed");
  file = gzopen(path, "rb");
  if (!file)
    bench_die("gzopen for reading failed");
  if (gzread(file, back, (unsigned)length) != (int)length || gzclose_r(file) != Z_OK)
    bench_die("gzread failed");
  if (memcmp(in, back, length) != 0)
    bench_die("the file gave back other data");
}

static void *worker(void *number) {
  uint64_t random = bench_seed((long)(intptr_t)number + 1);
  size_t length = (size_t)size, room = length + length / 8 + 1024;
  unsigned char *text = malloc(length), *packed = malloc(room), *back = malloc(length);
  char path[256];
  unsigned long sum = 0;
  if (!text || !packed || !back)
    bench_die("out of memory");
  snprintf(path, sizeof path, "%s/zlib-threads-%ld-%ld.gz", folder, (long)getpid(), (long)(intptr_t)number);
  for (long round = 0; round < rounds; round++) {
    fill(text, length, &random);
    size_t used = compress_block(text, length, packed, room);
    if (expand_block(packed, used, back, length) != length || memcmp(text, back, length) != 0)
      bench_die("inflate gave back other data");
    sum += adler32(used, back, (uInt)length);
    if (round < files)
      through_file(path, text, back, length);
  }
  if (files > 0)
    unlink(path);
  free(text);
  free(packed);
  free(back);
  atomic_fetch_add(&total, sum);
  atomic_fetch_add(&operations, (unsigned long)(rounds * 2 + (rounds < files ? rounds : files) * 2));
  return NULL;
}

int main(int argc, char **argv) {
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 100000000, "buffers of each thread"},
                                         {'s', &size, 1, 1 << 28, "bytes of a buffer"},
                                         {'l', &level, 0, 9, "level of compression"},
                                         {'f', &files, 0, 100000000, "buffers that also go through a .gz file"}};
  bench_options(argc, argv, "zlib-threads", "threads that compress and expand their own data with zlib", options, 5);
  static pthread_t ids[BENCH_MAX_THREADS];
  if (getenv("TMPDIR"))
    folder = getenv("TMPDIR");
  double start = bench_now();
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, worker, (void *)(intptr_t)i))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  bench_result("zlib-threads", operations, bench_now() - start, total);
  return 0;
}
