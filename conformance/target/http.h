/* SPDX-License-Identifier: Apache-2.0 */
/* Requests over the network, one at a time, with libcurl. Nothing is followed or guessed: what
 * comes back is what was sent. */
#ifndef SOSIA_CONFORMANCE_HTTP_H
#define SOSIA_CONFORMANCE_HTTP_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "sosia.h"

struct http;

/* ca_file: authorities that are trusted instead of the system's; NULL: those. NULL without memory.
 */
struct http *http_open(const char *ca_file);
void http_close(struct http *h);
/* Sends a request and waits for the answer, which lives in the arena. Its body is at most 64 MiB.
 * -1: no answer (unreachable, cut off, too large); err->text says why. */
int http_call(struct http *h, struct arena *a, const char *base_url,
              const struct sosia_request *request, struct sosia_response *ret_response,
              struct sosia_err *err);
/* A header of an answer; NULL: it is not there. */
const char *http_header(const struct sosia_response *response, const char *name);

#endif
