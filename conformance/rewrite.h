/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a cassette and what they are called at the real service: addresses, calendars, events. A
 * text is gone through once; where several match, the longest is taken. */
#ifndef SOSIA_CONFORMANCE_REWRITE_H
#define SOSIA_CONFORMANCE_REWRITE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"

struct rewrite_pair {
    const char *ours, *theirs;
};

struct rewrite {
    struct arena *arena; /* pairs and what is rewritten */
    struct rewrite_pair *pairs;
    size_t n, cap;
};

void rewrite_init(struct rewrite *r, struct arena *arena);
/* Both with their percent-encoded forms, where these are others. Equal ones are left out, as are
 * empty ones. The texts are copied. */
void rewrite_add(struct rewrite *r, const char *ours, const char *theirs);
/* Theirs for ours. The text is borrowed if there is nothing to replace in it. */
const char *rewrite_out(const struct rewrite *r, const char *text, size_t len, size_t *ret_len);
/* Ours for theirs. */
const char *rewrite_in(const struct rewrite *r, const char *text, size_t len, size_t *ret_len);

#endif
