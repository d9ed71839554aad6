// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// http.h - as much of HTTP/1.1 as a test server needs: one request a connection, GET, HEAD and POST, no chunks.
#ifndef HOST_HTTP_H
#define HOST_HTTP_H

#include "engine.h"

#define HTTP_SECONDS 10               // a connection that says or takes nothing for so long is closed
#define HTTP_HEADERS_ROOM (16 * 1024) // request line and headers
#define HTTP_BODY_ROOM (1024 * 1024)

// Reads a request from the connection, has it answered by the engine, or refuses it, and answers. Returns the status that was
// sent, 0 if the other side went away before that.
int http_serve(int connection, const struct engine *engine, const char *folder);

// The client's side: sends one request to that port of this machine, and reads all of the answer into *answer* (body only).
// Returns the status, 0 if there was no proper answer.
int http_ask(int port, unsigned seconds, const char *method, const char *target, const char *body, struct buffer *answer);

#endif
