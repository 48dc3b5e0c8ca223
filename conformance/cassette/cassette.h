/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cassette: a scenario of exchanges with a service, and what must come back. It is a JSON file
 * that people write and tools record (docs/conformance.md, cassette.schema.json); here it is read,
 * with faults named by file and line, kept in memory, and written.
 */
#ifndef SOSIA_CONFORMANCE_CASSETTE_H
#define SOSIA_CONFORMANCE_CASSETTE_H

#include "conformance/cassette/pattern.h"
#include "engine/api/vendor.h"

#define CASSETTE_VERSION  1
#define CASSETTE_SIZE_MAX (16 << 20) /* bytes of a file */

/* Where a statement about the real service comes from. */
enum source_kind { SOURCE_RECORDED, SOURCE_DOCUMENTATION, SOURCE_RULE };
extern const char *const source_kinds[]; /* "recorded", "documentation", "rule" */

struct cassette_source {
    enum source_kind kind;
    const char *date; /* "2026-11-21"; NULL: not said */
    const char *id;   /* a rule's id, a page's address, a recording's name; NULL: not said */
    bool observed;    /* seen by somebody, stated by nobody */
};

/* The world a scenario starts from: one of fixture, file and seed. */
struct cassette_world {
    const char *fixture;     /* name of a fixture of sosia */
    const char *file;        /* a seed document, relative to the file that names it */
    const struct json *seed; /* a seed document */
    const char *dir;         /* what file is relative to; "" : the working directory */
    const char *time;        /* what the clock shows at first; NULL: the document's time */
    int64_t step_us;         /* by which it goes on with each call */
    uint64_t id_seed;        /* of ids; 0: the document's */
};

struct cassette_actor {
    const char *name;   /* in the cassette */
    const char *email;  /* in the world */
    const char *scopes; /* of the token, separated by spaces; NULL: everything */
};

struct cassette_value {
    const char *name;
    const struct json *value;
};

struct cassette_pair {
    const char *name;
    const char *text;
    const struct pattern *pattern; /* of an expected header, once read */
};

/* Where a step may be replayed. */
enum cassette_only { ONLY_NOWHERE_ELSE_SAID, ONLY_SOSIA, ONLY_REAL };

enum step_kind {
    STEP_CALL,
    STEP_ADVANCE, /* the world's clock */
    STEP_SEED,    /* applies a seed document */
    STEP_RESET,   /* the world goes back to its start; captures stay */
    STEP_REVOKE,  /* the token of an actor */
    STEP_OUTBOX   /* what left the world since the last such step */
};

struct cassette_step {
    enum step_kind kind;
    const char *id;     /* unique in the cassette; NULL: a step that checks nothing */
    const char *note;   /* for people; NULL: none */
    const char **rules; /* ids of the rules that would be broken if this failed */
    size_t n_rules;
    struct cassette_source source;
    enum cassette_only only;
    int line; /* of the file, counted from 1 */

    /* STEP_CALL: the request. Texts are templates. */
    const char *method; /* the vendor's id of the method; NULL: none is meant to be there */
    const char *actor;  /* name of who calls; NULL: nobody, without a credential */
    const char *verb;
    const char *path;            /* with base and query as written; starts with "/" */
    struct cassette_pair *query; /* names may repeat */
    size_t n_query;
    struct cassette_pair *headers;
    size_t n_headers;
    const struct json *send; /* NULL: no body */

    /* ... and the answer. */
    int status;
    struct cassette_pair *expect_headers;
    size_t n_expect_headers;
    const struct json *expect_body; /* as written; NULL: there must be none */
    const struct pattern *body;     /* the same, compiled */

    /* The others. */
    int64_t advance_us;
    const struct json *seed;
    const char *revoke;        /* name of an actor */
    const struct json *outbox; /* as written; compiled in body */
};

struct cassette {
    const char *file;   /* as it was named */
    const char *name;   /* the file's name without directory and ".json" */
    const char *digest; /* of its text and of what it extends, in hex */
    const char *title;
    struct cassette_source source;
    struct cassette_world world;
    enum cassette_only only;
    bool order; /* the order of members counts */
    struct cassette_actor *actors;
    size_t n_actors;
    struct cassette_value *values; /* that captures start with */
    size_t n_values;
    struct cassette_step *steps;
    size_t n_steps;
    struct pattern_name *matchers; /* as written */
    size_t n_matchers;

    struct arena arena; /* holds all of the above */
    struct pattern_set set;
};

/* Reads a file, and the file it extends. On failure err->text begins with "FILE:LINE: PATH: ".
 * The cassette is the caller's, who frees it. */
int cassette_load(const char *file, struct cassette **ret_cassette, struct sosia_err *err);
/* The same from memory. file: for messages and for what is relative to it. */
int cassette_parse(const char *file, const char *text, size_t len, struct cassette **ret_cassette,
                   struct sosia_err *err);
void cassette_free(struct cassette *c);

/* Another name, which is copied. */
void cassette_rename(struct cassette *c, const char *name);

/* A cassette to be filled by a recorder: all strings and values in its arena. */
struct cassette *cassette_new(void);
/* Writes what is as written (nothing compiled is looked at) in the form that people write. What
 * it extended is written out. */
void cassette_write(const struct cassette *c, struct buf *out);

/* JSON for people: what fits on a line is on one. Ends with a newline. */
void json_neat(struct buf *out, const struct json *v);

/* The actor of that name; NULL: none. */
const struct cassette_actor *cassette_actor(const struct cassette *c, const char *name);

/* Calls fn with every cassette below the paths (files, or directories looked through for *.json
 * but _*.json), sorted by path. name: the path below the directory without ".json", or the name of
 * a file that was named itself. A path that can't be read and fn giving -1 end it with -1. */
int cassette_each(const char *const *paths, size_t n,
                  int (*fn)(void *arg, const char *file, const char *name, struct sosia_err *err),
                  void *arg, struct sosia_err *err);

#endif
