/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts that may take the place of a call, as services have them: which call makes one, and which
 * commits it. Where and when they do is decided by rules (guard/draft.h).
 */
#ifndef SOSIA_HTTP_DRAFT_H
#define SOSIA_HTTP_DRAFT_H

#include "engine/base/arena.h"
#include "engine/json/json.h"

/* The call that it is for, and the one that is made. */
struct draft {
    struct arena *arena;
    const char *head;                 /* of the path, before what its method has */
    const char *id;                   /* what stands for "{}" in its kind's end; NULL: nothing */
    const char *query;                /* with its question mark; "" */
    const struct json *body;          /* an object */
    const char *verb, *target, *text; /* of what is made; text: JSON, or "" */
};

struct draft_kind {
    const char *method;                   /* in whose place it is made */
    const char *end;                      /* of its path; "{}" at its end: any segment */
    bool (*has)(const struct json *body); /* whether there is a draft for it; NULL: always */
    void (*draft)(struct draft *d);       /* what makes it */
    void (*commit)(struct draft *d, const char *id);
};

/* The members of an object, some of them set, or left out where the value is NULL. NULL without
 * memory. */
struct draft_member {
    const char *name;
    const struct json *value;
};
const char *draft_object(struct arena *a, const struct json *v, const struct draft_member *set,
                         size_t n);
struct json draft_text(const char *text);
/* A path with an id in it. */
const char *draft_path(struct arena *a, const char *head, const char *between, const char *id,
                       const char *rest);

#endif
