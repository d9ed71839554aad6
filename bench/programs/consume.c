// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// consume - the producer and consumers of the literature on scalable allocators (blow-up of memory that one thread allocates and
// others free; Hoard, ASPLOS 2000, section 2.2): main allocates items and hands each consumer its share through a queue, the
// consumers free them. Nothing here is a thread's own.
#include "bench.h"
#include <pthread.h>

struct item {
  struct item *next;
  unsigned char *data;
  long size;
};

/// Batches wait here; the producer sleeps while `waiting` is at its limit, the consumer while it is 0 and the queue open.
struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct item *first;
  long waiting;
  int closed;
};

struct consumer {
  pthread_t id;
  struct queue *queue;
};

struct result {
  uint64_t items, sum;
};

static long threads = 2, rounds = 6000, batch = 300, max_size = 256, limit = 8;
static struct consumer *consumers;

/// Takes all that waits, or returns NULL when the queue is closed and empty.
static struct item *take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (!queue->first && !queue->closed)
    pthread_cond_wait(&queue->changed, &queue->lock);
  struct item *first = queue->first;
  queue->first = NULL;
  queue->waiting = 0;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
  return first;
}

static void put(struct queue *queue, struct item *first, struct item *last) {
  pthread_mutex_lock(&queue->lock);
  while (queue->waiting >= limit)
    pthread_cond_wait(&queue->changed, &queue->lock);
  last->next = queue->first;
  queue->first = first;
  queue->waiting++;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

static void *consume(void *arg) {
  struct consumer *self = arg;
  struct result *result = malloc(sizeof *result);
  if (!result)
    bench_die("out of memory");
  result->items = 0;
  result->sum = 0;
  for (struct item *item = take(self->queue); item; item = take(self->queue))
    while (item) {
      struct item *next = item->next;
      result->items++;
      result->sum += item->data[0] + (uint64_t)item->size;
      free(item->data);
      free(item);
      item = next;
    }
  return result;
}

/// One batch for one consumer, linked.
static void produce(struct queue *queue, uint64_t *random) {
  struct item *first = NULL, *last = NULL;
  for (long i = 0; i < batch; i++) {
    struct item *item = malloc(sizeof *item);
    if (!item)
      bench_die("out of memory");
    item->size = 1 + (long)(bench_random(random) % (uint64_t)max_size);
    item->data = malloc((size_t)item->size);
    if (!item->data)
      bench_die("out of memory");
    item->data[0] = (unsigned char)(item->size * 7);
    item->next = first;
    first = item;
    if (!last)
      last = item;
  }
  put(queue, first, last);
}

static void start_consumer(struct consumer *consumer) {
  struct queue *queue = malloc(sizeof *queue);
  if (!queue)
    bench_die("out of memory");
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->changed, NULL);
  queue->first = NULL;
  queue->waiting = 0;
  queue->closed = 0;
  consumer->queue = queue;
  if (pthread_create(&consumer->id, NULL, consume, consumer))
    bench_die("cannot start a thread");
}

static void finish_consumer(struct consumer *consumer, uint64_t *items, uint64_t *sum) {
  struct queue *queue = consumer->queue;
  void *value;
  pthread_mutex_lock(&queue->lock);
  queue->closed = 1;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
  pthread_join(consumer->id, &value);
  struct result *result = value;
  *items += result->items;
  *sum += result->sum;
  free(result);
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
  free(queue);
}

int main(int argc, char **argv) {
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "consumers"},
                                         {'r', &rounds, 1, 100000000, "batches of each consumer"},
                                         {'b', &batch, 1, 10000000, "items in a batch"},
                                         {'M', &max_size, 1, 1 << 20, "largest item"},
                                         {'l', &limit, 1, 1000000, "batches that may wait"}};
  bench_options(argc, argv, "consume", "one thread allocates, the others free", options, 5);
  uint64_t random = bench_seed(1), items = 0, sum = 0;
  double start = bench_now();
  consumers = malloc((size_t)threads * sizeof *consumers);
  if (!consumers)
    bench_die("out of memory");
  for (long i = 0; i < threads; i++)
    start_consumer(&consumers[i]);
  for (long round = 0; round < rounds; round++)
    for (long i = 0; i < threads; i++)
      produce(consumers[i].queue, &random);
  for (long i = 0; i < threads; i++)
    finish_consumer(&consumers[i], &items, &sum);
  free(consumers);
  bench_result("consume", 2 * items, bench_now() - start, sum);
  return 0;
}
