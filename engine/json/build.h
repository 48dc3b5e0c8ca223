/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a tree of values from the leaves of a text, for the readers of JSON and YAML, and for
 * writers whose text would be read at once. Values
 * under construction are on a stack; when an array or object closes, its children move to the arena
 * in one piece.
 */
#ifndef SOSIA_JSON_BUILD_H
#define SOSIA_JSON_BUILD_H

#include "engine/json/json.h"

enum { JSON_BUILD_FIRST = 64, JSON_DEFAULT_DEPTH = 100, JSON_DEFAULT_SIZE = 64 << 20 };

/* What a reader is given (NULL: nothing) with the defaults filled in. -1, TOO_LARGE: len bytes are
 * more than that. */
int json_limits_init(struct json_limits *l, const struct json_limits *given, size_t len,
                     struct sosia_err *err);
#define JSON_BUILD_NONE UINT32_MAX

struct json_builder {
    struct arena *arena;
    struct json_member *stack; /* an open container's value.n is its parent's place */
    uint32_t n, cap;
    uint32_t open; /* the innermost open container's place, or JSON_BUILD_NONE */
    struct json_member first[JSON_BUILD_FIRST];
};

void json_build_init(struct json_builder *b, struct arena *a); /* values will be the arena's */
void json_build_done(struct json_builder *b);                  /* also after a failure */
bool json_build_grow(struct json_builder *b);                  /* for json_build_push() only */

/* The place of the next value, cleared; valid until the next push. NULL without memory. */
static inline struct json_member *json_build_push(struct json_builder *b)
{
    if (__builtin_expect(b->n == b->cap, 0) && !json_build_grow(b))
        return NULL;
    struct json_member *m = &b->stack[b->n++];
    memset(m, 0, sizeof *m);
    return m;
}
static inline struct json_member *json_build_top(struct json_builder *b)
{
    return &b->stack[b->n - 1];
}
/* Makes the top an open array or object: what is pushed from now on are its children. */
static inline void json_build_open(struct json_builder *b, enum json_type type)
{
    struct json *v = &json_build_top(b)->value;
    v->type = (uint8_t)type;
    v->n = b->open;
    b->open = b->n - 1;
}
/* Closes the innermost container, which is then the top. -1 without memory. */
int json_build_close(struct json_builder *b);
/* Of members of the innermost container with the same key leaves the last value alone, in the place
 * of the first. -1 without memory. */
int json_build_last_wins(struct json_builder *b);
/* The first member of the innermost container whose key was there before; NULL when there is none.
 * -1 without memory. Not for hashing: keys could be made to collide. */
int json_build_duplicate(struct json_builder *b, const struct json_member **ret_again);
/* Moves the only value that is left to the arena. NULL without memory. */
const struct json *json_build_root(struct json_builder *b);

/* What a writer does that builds; keys and lengths as in json.h. open gives false when it failed;
 * raw takes any text, plain only what is a number, true, false or null. */
bool json_built_open(struct json_writer *w, const char *key, size_t len, enum json_type type);
void json_built_end(struct json_writer *w);
void json_built_text(struct json_writer *w, const char *key, size_t len, const char *s, size_t n);
void json_built_plain(struct json_writer *w, const char *key, size_t len, const char *text,
                      size_t n);
void json_built_raw(struct json_writer *w, const char *key, size_t len, const char *text, size_t n);

#endif
