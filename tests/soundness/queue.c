// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-20: a bounded queue between two threads; payloads are made on one side and freed on the other.
#include "soundness.h"

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int *slots[4];
  unsigned head, tail;
};

static void *consumer(void *arg) {
  struct queue *q = arg;
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&q->lock);
    while (q->head == q->tail)
      pthread_cond_wait(&q->changed, &q->lock);
    int *item = q->slots[q->tail++ % 4];
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    EXPECT(*item == i);
    free(item);
  }
  return NULL;
}

int main(void) {
  struct queue *q = calloc(1, sizeof *q); // shared: FH102
  pthread_t thread;
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->changed, NULL);
  EXPECT(pthread_create(&thread, NULL, consumer, q) == 0);
  for (int i = 0; i < 100; i++) {
    int *item = malloc(sizeof *item); // shared: FH102
    *item = i;
    pthread_mutex_lock(&q->lock);
    while (q->head - q->tail == 4)
      pthread_cond_wait(&q->changed, &q->lock);
    q->slots[q->head++ % 4] = item;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
  }
  pthread_join(thread, NULL);
  free(q);
  return 0;
}
