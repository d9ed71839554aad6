// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main thread accepts connections and looks after the threads: it starts them, and joins those that have ended, so that when
// server_run returns nothing of theirs runs any more, destructors of thread-local variables included.
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"

#define QUEUE_ROOM 64 // accepted connections that wait; more wait in the kernel

// A thread of the server's. From `start_thread` until it is joined it is in no list, then in `ended`.
struct worker {
  pthread_t thread;
  struct worker *next;
  struct server *server;
  uint64_t budget; // requests until it ends; 0: no limit
  bool silent;
};

struct server {
  const struct server_options *options;
  const struct engine *engine;
  struct server_result *result;
  pthread_mutex_t lock; // of all that follows
  pthread_cond_t work, room;
  int queue[QUEUE_ROOM];
  unsigned first, waiting;
  bool closing;
  struct worker *ended;
  uint64_t live, started;
};

static int wake[2] = {-1, -1}; // written to by signals and by threads that end
static atomic_bool asked_to_stop;

static void nudge(void) {
  int error = errno;
  ssize_t ignored = write(wake[1], "", 1); // a full pipe wakes as well
  (void)ignored;
  errno = error;
}

static void on_signal(int number) {
  (void)number;
  asked_to_stop = true;
  nudge();
}

void server_signals(void) {
  if (pipe2(wake, O_NONBLOCK | O_CLOEXEC) != 0)
    perror("host: pipe"), exit(4);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int server_listen(int *port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (listener >= 0)
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 128) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
    fprintf(stderr, "host: cannot listen on 127.0.0.1:%d: %s%s\n", *port, strerror(errno),
            errno == EADDRINUSE ? " (choose another with --port, or 0 for a free one)" : "");
    if (listener >= 0)
      close(listener);
    return -1;
  }
  *port = ntohs(address.sin_port);
  return listener;
}

static void note_use(struct server_result *result, bool end) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
         system = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
  *(end ? &result->user_end : &result->user_warm) = user;
  *(end ? &result->system_end : &result->system_warm) = system;
  *(end ? &result->memory_end : &result->memory_warm) = server_memory();
}

static void note_peak(struct server_result *result) {
  uint64_t memory = server_memory(), peak = result->memory_peak;
  while (memory > peak && !atomic_compare_exchange_weak(&result->memory_peak, &peak, memory))
    ;
}

static void serve(struct server *server, int connection) {
  struct server_result *result = server->result;
  int status = http_serve(connection, server->engine, server->options->folder);
  close(connection);
  (*(status == 0     ? &result->gone
     : status < 300  ? &result->found
     : status == 404 ? &result->missing
     : status < 500  ? &result->refused
                     : &result->failed))++;
  uint64_t answered = atomic_fetch_add(&result->answered, 1) + 1;
  if (answered % 32 == 0)
    note_peak(result);
  if (answered == server->options->warm) {
    result->warm_requests = answered;
    note_use(result, false);
  }
  if (answered == server->options->requests) {
    asked_to_stop = true;
    nudge();
  }
}

// The next connection to answer; -1: there are no more.
static int take(struct server *server) {
  int connection = -1;
  pthread_mutex_lock(&server->lock);
  while (!server->waiting && !server->closing)
    pthread_cond_wait(&server->work, &server->lock);
  if (server->waiting) {
    connection = server->queue[server->first];
    server->first = (server->first + 1) % QUEUE_ROOM;
    server->waiting--;
    pthread_cond_signal(&server->room);
  }
  pthread_mutex_unlock(&server->lock);
  return connection;
}

static void give(struct server *server, int connection) {
  pthread_mutex_lock(&server->lock);
  while (server->waiting == QUEUE_ROOM)
    pthread_cond_wait(&server->room, &server->lock);
  server->queue[(server->first + server->waiting++) % QUEUE_ROOM] = connection;
  pthread_cond_signal(&server->work);
  pthread_mutex_unlock(&server->lock);
}

static void *work(void *argument) {
  struct worker *worker = argument;
  struct server *server = worker->server;
  bool taken = server->engine->thread_begin();
  int connection;
  for (uint64_t left = worker->budget; (connection = take(server)) >= 0;) {
    if (taken)
      serve(server, connection);
    else
      close(connection), server->result->gone++;
    if (worker->budget && --left == 0)
      break;
  }
  if (taken && !worker->silent)
    server->engine->thread_end();
  pthread_mutex_lock(&server->lock);
  server->result->threads++;
  server->result->silent += worker->silent;
  server->result->refused_threads += !taken;
  worker->next = server->ended;
  server->ended = worker;
  pthread_mutex_unlock(&server->lock);
  nudge();
  return NULL;
}

static bool start_thread(struct server *server) {
  const struct server_options *options = server->options;
  struct worker *worker = calloc(1, sizeof *worker);
  if (!worker)
    return false;
  worker->server = server;
  worker->budget = options->how == SERVER_EACH ? 1 : options->recycle;
  worker->silent = options->silent && ++server->started % options->silent == 0;
  // Signals are for the main thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&worker->thread, NULL, work, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    fprintf(stderr, "host: cannot start a thread: %s (fewer: --pool N, --each N)\n", strerror(error));
    free(worker);
    return false;
  }
  if (++server->live > server->result->peak_threads)
    server->result->peak_threads = server->live;
  return true;
}

static void join_ended(struct server *server) {
  pthread_mutex_lock(&server->lock);
  struct worker *worker = server->ended;
  server->ended = NULL;
  pthread_mutex_unlock(&server->lock);
  while (worker) {
    struct worker *next = worker->next;
    pthread_join(worker->thread, NULL);
    free(worker);
    server->live--;
    worker = next;
  }
}

// One turn of the main thread: waits, takes what came. False: time to stop.
static bool turn(struct server *server, int listener, int timeout) {
  const struct server_options *options = server->options;
  bool full = options->how == SERVER_EACH && server->live >= (uint64_t)options->threads;
  struct pollfd waited[] = {{wake[0], POLLIN, 0}, {options->child, POLLIN, 0}, {full ? -1 : listener, POLLIN, 0}};
  if (poll(waited, 3, timeout) < 0 && errno != EINTR)
    return false;
  char away[64];
  while (read(wake[0], away, sizeof away) > 0)
    ;
  join_ended(server);
  while (options->how == SERVER_POOL && server->live < (uint64_t)options->threads)
    if (!start_thread(server))
      return false;
  if (asked_to_stop || (waited[1].revents && !(waited[2].revents & POLLIN)))
    return false;
  int connection = waited[2].revents & POLLIN ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
  if (connection < 0)
    return true;
  if (options->how == SERVER_MAIN)
    serve(server, connection);
  else
    give(server, connection);
  return options->how != SERVER_EACH || start_thread(server);
}

static void stop_threads(struct server *server) {
  pthread_mutex_lock(&server->lock);
  server->closing = true;
  pthread_cond_broadcast(&server->work);
  pthread_mutex_unlock(&server->lock);
  while (server->live) {
    struct pollfd waited = {wake[0], POLLIN, 0};
    poll(&waited, 1, 1000);
    char away[64];
    while (read(wake[0], away, sizeof away) > 0)
      ;
    join_ended(server);
  }
  while (server->waiting) // none is left but where no thread could be started
    close(take(server));
}

int server_run(int listener, const struct server_options *options, const struct engine *engine, struct server_result *result) {
  struct server server = {.options = options,
                          .engine = engine,
                          .result = result,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .work = PTHREAD_COND_INITIALIZER,
                          .room = PTHREAD_COND_INITIALIZER};
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += options->seconds;
  result->memory_start = server_memory();
  int timeout = -1;
  do {
    if (options->seconds) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      long left = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
      if (left <= 0)
        break;
      timeout = left > 60000 ? 60000 : (int)left;
    }
  } while (turn(&server, listener, timeout));
  stop_threads(&server);
  note_use(result, true);
  note_peak(result);
  return 0;
}
