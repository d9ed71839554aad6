#include <pthread.h>
#include <stdlib.h>

struct node { long key; char *text; };
static struct node *head;

static void *worker(void *p) {
  char *mine = malloc(32);
  free(mine);
  return p;
}

static void add(char *what) {
  struct node *n = malloc(sizeof *n);
  n->text = what;
  head = n;
}

int main(void) {
  pthread_t t;
  char *text = malloc(100);
  add(text);
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  return 0;
}
