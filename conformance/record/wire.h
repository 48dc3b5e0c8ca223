/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exchange as it was on the wire: a request, and the answer to it. The recording proxy sees
 * them, journals keep them (a line of JSON each), HAR files bring them, and cassettes are made of
 * them.
 */
#ifndef SOSIA_CONFORMANCE_WIRE_H
#define SOSIA_CONFORMANCE_WIRE_H

#include "engine/json/doc.h"

/* A body as it was meant: without chunks, inflated if it came compressed. */
struct wire_body {
    const char *data; /* NUL-terminated behind len; NULL: there is none */
    size_t len;
    uint64_t size; /* bytes that it had; more than len where cut */
    bool cut;      /* only its beginning is here */
};

struct wire_message {
    struct sosia_header *headers; /* in their order; names may repeat */
    size_t n_headers;
    struct wire_body body;
};

struct wire {
    int64_t n;          /* its number in the recording, from 1, in the order of requests */
    int64_t at_us;      /* when the request came */
    int64_t took_us;    /* until the end of the answer */
    const char *verb;   /* "GET" */
    const char *origin; /* "https://api.acme.example", with the path that a target begins with */
    const char *target; /* path and query behind it, as on the wire; begins with "/" */
    struct wire_message sent, got;
    int status;        /* of the answer; 0: none came */
    const char *error; /* why the answer isn't there, or not whole; NULL: it is */
};

/* The first value of a header; NULL: there is none. */
const char *wire_header(const struct wire_message *m, const char *name);
/* The media type in Content-Type is one of these: "application/json". A type that ends with '/'
 * stands for all that begin so. */
bool wire_is_type(const struct wire_message *m, const char *type);
/* The body is JSON by its type, or has no type that says something else and looks like JSON. */
bool wire_is_json(const struct wire_message *m);
/* The body can be in JSON as a text: UTF-8 without NUL. */
bool wire_is_text(const struct wire_body *b);

/* Decodes a part of a target or form (percent_decode()). -1 also where what comes out is not UTF-8.
 */
int wire_decode(struct arena *a, const char *text, size_t len, bool query, char **ret_text);

/* Copies every text that exchanges borrow into a. */
int wire_own(struct arena *a, struct wire *list, size_t n, struct sosia_err *err);

/* Writes it as an object. */
void wire_write(struct json_writer *w, const char *key, const struct wire *e);
/* Reads what was so written; d is at v. The texts live in d's arena and document. */
int wire_read(struct doc *d, const struct json *v, struct wire *ret);

#endif
