/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what was recorded to a cassette. What another run would give another value is recognised:
 * ids, tags, times and tokens that a service makes become matchers; those that come back, in a
 * later request or answer, are captured where they first appear and referred to from there on. All
 * else is expected literally: what the client said, what the world held from the start, what is
 * fixed.
 */
#ifndef SOSIA_CONFORMANCE_COMPOSE_H
#define SOSIA_CONFORMANCE_COMPOSE_H

#include "conformance/cassette/cassette.h"
#include "conformance/record/record.h"

struct compose_options {
    const char *title;       /* NULL: one is made up */
    const char *fixture;     /* the world starts from this one; NULL: from seed */
    const struct json *seed; /* the fixture's seed document, or the world's own; NULL: the actors
                                are all that is known of it */
};

/* Makes a cassette of a recording; the caller frees it. Everything is copied. What could not be put
 * into it is named in ret_notes, a line for each. */
int compose_cassette(const struct recorded *r, const struct compose_options *o,
                     struct cassette **ret_cassette, struct buf *ret_notes, struct sosia_err *err);
/* Writes a cassette and reads it again, so that what is written can be replayed. */
int compose_check(const struct cassette *c, const char *file, struct buf *ret_text,
                  struct sosia_err *err);

#endif
