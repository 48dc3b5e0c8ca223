/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a call. */
#ifndef SOSIA_HTTP_ANSWER_H
#define SOSIA_HTTP_ANSWER_H

#include "engine/http/call.h"

/* The world's state after the call, so that an answer whose body is a blob needs neither its lock
 * nor a transaction. 0, -1. */
int answer_open(struct call *c, struct world *w);
/* All of it, for sosia_response_free(). NULL without memory. */
struct sosia_response *answer_make(struct call *c);
/* The same of an answer that goes on, with such a head, which no call has; takes the answer's
 * reference of the stream, even if it fails. */
struct sosia_response *answer_stream(struct sosia_stream *s, const struct sosia_header *headers,
                                     size_t n_headers);
/* Writes the refusal that c->tx.err has in the place of what was written, in the vendor's form
 * where one is known. */
void answer_refusal(struct call *c);

#endif
