/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of several parts (RFC 2046), as forms, batches and uploads use them, and the HTTP
 * requests that batch parts are. Strict: a body is taken apart whole or refused, in time linear in
 * its length. Everything points into the text.
 */
#ifndef SOSIA_HTTP_MULTIPART_H
#define SOSIA_HTTP_MULTIPART_H

#include "engine/base/arena.h"
#include "engine/base/err.h"

#define MULTIPART_BOUNDARY 71 /* with the NUL */

struct part {
    const char *head; /* header lines, without the empty line */
    size_t head_len;
    const char *body;
    size_t body_len;
};

/* The boundary parameter of a Content-Type; -1 if there is none that is allowed (1 to 70 bytes). */
int multipart_boundary(const char *content_type, char ret_boundary[MULTIPART_BOUNDARY]);
/* Takes the body apart. *ret_n is the number of parts even when there are more than max, which
 * fails with LIMIT; other failures: INVALID, with the reason "open" when the end is missing. */
int multipart_parse(struct arena *a, const char *text, size_t len, const char *boundary, size_t max,
                    struct part **ret_parts, size_t *ret_n, struct sosia_err *err);
/* The value of a header of the part, without whitespace around it; NULL when absent. In the
 * arena. */
const char *part_header(struct arena *a, const struct part *p, const char *name);

struct http_part {
    const char *method, *target; /* in the arena */
    struct sosia_header *headers;
    size_t n_headers;
    const char *body;
    size_t body_len;
};
#define HTTP_PART_HEADERS 64

/* Reads a request: its line (the version may be missing), headers, body. */
int http_part_parse(struct arena *a, const char *text, size_t len, struct http_part *ret,
                    struct sosia_err *err);

#endif
