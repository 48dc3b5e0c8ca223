/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by compose.c (steps), compose_callers.c (actors) and recognise.c (values). */
#ifndef SOSIA_CONFORMANCE_COMPOSE_IMPL_H
#define SOSIA_CONFORMANCE_COMPOSE_IMPL_H

#include "conformance/record/compose.h"
#include "engine/base/map.h"

/* A text that a service made. */
struct value {
    const char *text;
    const char *key;    /* the member or header it first was in; gives it its name */
    const char *entity; /* whose it is: "" everybody's; an equal text of another is another value */
    const char *matcher; /* "etag", "re:[a-v0-9]{26}" */
    const char *name;    /* once it is wanted */
    struct value *older; /* of the same text */
    bool wanted;         /* comes back somewhere */
    bool captured;       /* has been written, */
    unsigned within;     /* this text */
};

/* The recording is gone through twice in the same order: first to see what comes back, then to
 * write. */
struct composer {
    struct arena *a; /* of the cassette */
    const struct recorded *r;
    const struct wire *e; /* at work */
    const char *path;     /* of its request, decoded */
    bool writing;
    struct map values;   /* text -> newest struct value */
    struct value **once; /* by serial: those that are one occurrence's */
    unsigned n_once;
    struct map fixed; /* texts that the client said or that the world began with */
    struct map names; /* of captures, for composer_name() */
    unsigned text;    /* that is written now: what it captures, it can't refer to itself */
    bool plain;       /* it is the whole of a body */
    unsigned serial;  /* of occurrences, counted anew in each pass */
    int64_t now_us;   /* by the Date of the answer at work */
    bool uses_origin;
    bool failed; /* no memory */
};

struct caller {
    const char *token, *email, *name;
    bool refused; /* every call of it got 401 */
    bool called;
};

struct build {
    struct composer c;
    const struct compose_options *o;
    struct cassette *out;
    struct caller *callers;
    size_t n_callers;
    struct map steps; /* ids, for composer_name() */
    struct buf *notes;
};

/* ---- compose.c ---- */

/* Why an exchange can't be a step; NULL: it can. */
const char *wire_obstacle(const struct wire *e);

/* ---- compose_callers.c ---- */

/* The token that a request brings; NULL: none. */
const char *wire_bearer(const struct wire *e);
/* Makes the cassette's actors. */
int callers_find(struct build *b, struct sosia_err *err);
/* NULL: nobody has this token. */
struct caller *caller_find(struct build *b, const char *token);

/* ---- recognise.c ---- */

/* "BASE", "BASE2", ...: the first that is not among the names, where it is from then on. In the
 * arena. */
const char *composer_name(struct composer *c, struct map *names, const char *base,
                          const char *between);
/* Texts that stay as they are, and the runs of letters and digits in them. */
void know_text(struct composer *c, const char *text);
/* All texts of a document. */
void know_document(struct composer *c, const struct json *v);

/* A text of a request: what earlier answers gave becomes ${=name}. */
const char *request_text(struct composer *c, const char *text);
void request_json(struct composer *c, struct json_writer *w, const char *key, const struct json *v);

/* A text of an answer as it is expected. entity: the id of the object it is in, or NULL. */
const char *answer_text(struct composer *c, const char *key, const char *text, const char *entity);
void answer_json(struct composer *c, struct json_writer *w, const char *key, const struct json *v);
/* A body that is not JSON: as one text. boundary: of its parts, or NULL. */
const char *answer_plain(struct composer *c, const char *text, const char *boundary);
const char *answer_boundary(struct composer *c, const char *boundary);

#endif
