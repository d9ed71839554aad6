// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

bool buffer_add(struct buffer *buffer, const char *text, size_t size) {
  if (buffer->room - buffer->size <= size) {
    size_t room = (buffer->size + size) * 2 + 512;
    char *grown = realloc(buffer->text, room);
    if (!grown)
      return false;
    buffer->text = grown, buffer->room = room;
  }
  memcpy(buffer->text + buffer->size, text, size);
  buffer->size += size;
  buffer->text[buffer->size] = 0;
  return true;
}

void buffer_free(struct buffer *buffer) {
  free(buffer->text);
  *buffer = (struct buffer){0};
}

static void limit_waiting(int connection, unsigned seconds) {
  struct timeval limit = {.tv_sec = seconds};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static bool send_all(int connection, const char *text, size_t size) {
  while (size) {
    ssize_t sent = send(connection, text, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    text += sent, size -= (size_t)sent;
  }
  return true;
}

// Appends what comes next; false: the end, or nothing came in time.
static bool receive(int connection, struct buffer *into) {
  char chunk[8192];
  ssize_t size;
  do
    size = recv(connection, chunk, sizeof chunk, 0);
  while (size < 0 && errno == EINTR);
  return size > 0 && buffer_add(into, chunk, (size_t)size);
}

static const char *reason(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 413:
    return "Content Too Large";
  case 500:
    return "Internal Server Error";
  default:
    return "Other";
  }
}

// The value of a header within the lines that end at *end*, "" if it is not there; the copy is the caller's *value*.
static const char *header(const char *lines, const char *end, const char *name, char *value, size_t room) {
  size_t length = strlen(name);
  *value = 0;
  for (const char *line = lines; line && line < end; line = strstr(line, "\r\n"), line = line ? line + 2 : NULL)
    if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
      line += length + 1;
      line += strspn(line, " \t");
      size_t size = strcspn(line, "\r\n");
      snprintf(value, room, "%.*s", (int)(size < room ? size : room - 1), line);
      break;
    }
  return value;
}

// A parsed request's own memory.
struct parsed {
  struct buffer input;
  char method[8], uri[2048], query[2048], type[128], script[4096];
};

// Reads and parses; returns 0, or the status to refuse it with, -1 when there is nobody to answer.
static int read_request(int connection, struct parsed *parsed, struct request *request, const char *folder) {
  char *end, value[32];
  do {
    if (parsed->input.size > HTTP_HEADERS_ROOM)
      return 413;
    if (!receive(connection, &parsed->input))
      return parsed->input.size ? 400 : -1;
  } while (!(end = strstr(parsed->input.text, "\r\n\r\n")));
  size_t head = (size_t)(end + 4 - parsed->input.text);
  char *lines = strstr(parsed->input.text, "\r\n") + 2;
  if (sscanf(parsed->input.text, "%7s %2047s HTTP/1.", parsed->method, parsed->uri) != 2 || *parsed->uri != '/')
    return 400;
  if (strcmp(parsed->method, "GET") && strcmp(parsed->method, "HEAD") && strcmp(parsed->method, "POST"))
    return 405;
  char *mark = strchr(parsed->uri, '?');
  size_t path = mark ? (size_t)(mark - parsed->uri) : strlen(parsed->uri);
  if (mark)
    strcpy(parsed->query, mark + 1);
  header(lines, end, "Content-Type", parsed->type, sizeof parsed->type);
  size_t size = strtoul(header(lines, end, "Content-Length", value, sizeof value), NULL, 10);
  if (size > HTTP_BODY_ROOM)
    return 413;
  while (parsed->input.size < head + size)
    if (!receive(connection, &parsed->input))
      return 400;
  snprintf(parsed->script, sizeof parsed->script, "%s%.*s", folder, (int)path, parsed->uri);
  struct stat file;
  if (strstr(parsed->script + strlen(folder), "..") || stat(parsed->script, &file) || !S_ISREG(file.st_mode))
    return 404;
  *request = (struct request){.method = parsed->method,
                              .uri = parsed->uri,
                              .query = parsed->query,
                              .type = parsed->type,
                              .script = parsed->script,
                              .body = parsed->input.text + head,
                              .body_size = size,
                              .status = 200};
  return 0;
}

int http_serve(int connection, const struct engine *engine, const char *folder) {
  struct parsed *parsed = calloc(1, sizeof *parsed);
  if (!parsed)
    return 0;
  struct request request = {0};
  limit_waiting(connection, HTTP_SECONDS);
  int status = read_request(connection, parsed, &request, folder);
  if (status == 0) {
    engine->answer(&request);
    status = request.status;
  }
  if (status > 0) {
    char head[128], text[64];
    if (!request.answer.size && status != 200)
      buffer_add(&request.answer, text, (size_t)snprintf(text, sizeof text, "%d %s\n", status, reason(status)));
    int size = snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: %zu\r\n", status,
                        reason(status), request.answer.size);
    bool sent = send_all(connection, head, (size_t)size) &&
                send_all(connection, request.headers.text ? request.headers.text : "", request.headers.size) &&
                send_all(connection, "\r\n", 2) &&
                (!strcmp(parsed->method, "HEAD") ||
                 send_all(connection, request.answer.text ? request.answer.text : "", request.answer.size));
    // What a refused client still sends must not make the answer vanish: it is read away until the other side has closed.
    shutdown(connection, SHUT_WR);
    if (status == 413)
      for (char away[4096]; recv(connection, away, sizeof away, 0) > 0;)
        ;
    status = sent ? status : 0;
  }
  buffer_free(&request.headers);
  buffer_free(&request.answer);
  buffer_free(&parsed->input);
  free(parsed);
  return status > 0 ? status : 0;
}

// A stopped and continued program is interrupted here too; the connection then comes about by itself.
static bool connected(int connection, const struct sockaddr_in *address, unsigned seconds) {
  struct pollfd waited = {.fd = connection, .events = POLLOUT};
  int error = 0, ready;
  socklen_t size = sizeof error;
  if (connect(connection, (const struct sockaddr *)address, sizeof *address) == 0)
    return true;
  if (errno != EINTR)
    return false;
  do
    ready = poll(&waited, 1, (int)seconds * 1000);
  while (ready < 0 && errno == EINTR);
  if (ready != 1 || getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    return false;
  errno = error;
  return !error;
}

int http_ask(int port, unsigned seconds, const char *method, const char *target, const char *body, struct buffer *answer) {
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char head[4096], value[32];
  struct buffer all = {0};
  int size = snprintf(
      head, sizeof head,
      "%s %s HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", method,
      target, strlen(body));
  if (connection < 0)
    return 0;
  limit_waiting(connection, seconds);
  if (connected(connection, &address, seconds) && (size_t)size < sizeof head && send_all(connection, head, (size_t)size) &&
      send_all(connection, body, strlen(body)))
    while (receive(connection, &all))
      ;
  close(connection);
  char *end = all.text ? strstr(all.text, "\r\n\r\n") : NULL;
  // An answer that was cut short is none.
  if (end && sscanf(all.text, "HTTP/1.%*d %d", &status) == 1) {
    size_t got = all.size - (size_t)(end + 4 - all.text);
    header(all.text, end, "Content-Length", value, sizeof value);
    if ((*value && strcmp(method, "HEAD") && strtoul(value, NULL, 10) != got) || !buffer_add(answer, end + 4, got))
      status = 0;
  }
  buffer_free(&all);
  return status;
}
