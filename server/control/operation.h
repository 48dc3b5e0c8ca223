/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the control interface share: the table of operations, and a call of one. */
#ifndef SOSIA_SERVER_CONTROL_OPERATION_H
#define SOSIA_SERVER_CONTROL_OPERATION_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"
#include "engine/json/json.h"
#include "server/control/control.h"
#include <stdatomic.h>

/* ---- the table ---- */

enum control_type {
    CONTROL_STRING,  /* at most max bytes, if max is not 0 */
    CONTROL_INTEGER, /* within min..max */
    CONTROL_NUMBER,  /* the same, with a fraction */
    CONTROL_BOOLEAN,
    CONTROL_TIME,     /* RFC 3339 with an offset */
    CONTROL_ENUM,     /* one of values */
    CONTROL_WORDS,    /* words separated by blanks, or a list of them */
    CONTROL_DOCUMENT, /* a seed document as an object, or as a text of JSON or YAML */
    CONTROL_OBJECT,   /* any object (answers only) */
    CONTROL_SCHEMA    /* of that schema (answers only) */
};

struct control_schema;

/* A parameter, or a member of a body. */
struct control_field {
    const char *name;
    enum control_type type;
    bool in_path;        /* of a parameter: stands in the path */
    bool required;       /* in a request: must be given; in an answer: always there */
    bool list, nullable; /* in answers */
    int64_t min, max;
    const char *const *values; /* of a CONTROL_ENUM; NULL-terminated */
    const struct control_schema *schema;
    const char *summary;
};

struct control_schema {
    const char *name;
    const char *summary;
    const struct control_field *fields;
    size_t n_fields;
};

enum control_body {
    CONTROL_BODY_NONE,
    CONTROL_BODY_JSON,     /* of the schema `request`; may be empty if nothing in it is required */
    CONTROL_BODY_DOCUMENT, /* a seed document */
    CONTROL_BODY_FILE      /* bytes */
};

/* When an operation goes to a worker instead of being answered on the thread that serves others. */
enum control_pace {
    CONTROL_FAST,  /* never */
    CONTROL_WRITE, /* if the engine is durable: it waits for the disk */
    CONTROL_SLOW   /* always: it may take milliseconds */
};

struct control_call;

struct control_operation {
    const char *id;     /* OpenAPI's operationId */
    const char *method; /* "GET" */
    const char *path;   /* behind "/_sosia/v1": "/worlds/{world}/fork" */
    const char *summary;
    int (*handler)(struct control_call *c); /* 0: answered; -1: c->err says why not */
    enum control_pace pace;
    bool anyone; /* is served without the control key (which is for the server to decide) */
    const struct control_field *params;
    size_t n_params;
    enum control_body body;
    const struct control_schema *request;
    int status;                            /* of success */
    const struct control_schema *response; /* NULL: see response_type; both NULL: no body */
    const char *response_type;             /* media type of an answer without a schema */
};

extern const struct control_operation control_operations[];
extern const size_t control_n_operations;
extern const struct control_schema
    *const control_schemas[];                            /* NULL-terminated: all that are named */
extern const struct control_schema control_error_schema; /* what a refusal looks like */
extern const char *const control_clocks[];   /* names of enum sosia_clock_mode, in its order */
extern const char *const control_journals[]; /* names of enum sosia_journal_mode, in its order */

/* ---- a call ---- */

struct control {
    struct control_options options;
    struct sosia_engine *engine;
    bool durable;
    char *temp_dir;
    _Atomic(struct server *) server;
    struct sosia_blob openapi;
};

/* A parameter or member that was given. */
struct control_value {
    const struct control_field *field;
    const char *text; /* STRING, ENUM, WORDS (joined by blanks), DOCUMENT */
    size_t len;
    int64_t number; /* INTEGER; BOOLEAN 0 or 1; TIME in microseconds; ENUM index into values */
    double real;    /* NUMBER */
};

#define CONTROL_MAX_VALUES 16

struct control_call {
    struct control *control;
    struct sosia_engine *engine;
    const struct control_operation *op;
    const struct server_request *request;
    struct server_response *response;
    struct arena arena; /* until the handler returns */
    struct control_value values[CONTROL_MAX_VALUES];
    size_t n_values;
    uint64_t world; /* of {world} in the path */
    struct sosia_err err;
};

/* NULL: not given. */
const struct control_value *control_given(const struct control_call *c, const char *name);
const char *control_text(const struct control_call *c, const char *name); /* NULL: not given */
int64_t control_number(const struct control_call *c, const char *name, int64_t otherwise);
/* Fills c->err (INVALID), gives -1. field: static, or in the arena; NULL: none. */
__attribute__((format(printf, 3, 4))) int control_fail(struct control_call *c, const char *field,
                                                       const char *fmt, ...);
/* step_ms, if given, in microseconds; otherwise `otherwise`. */
int64_t control_step(const struct control_call *c, int64_t otherwise);

/* input.c: reads query and body into c->values. */
int control_read_query(struct control_call *c);
int control_read_body(struct control_call *c);
/* Reads one value that came as text. */
int control_read_text(struct control_call *c, const struct control_field *field, const char *text,
                      size_t len);

/* worlds.c: answers with a world. */
int control_answer_world(struct control_call *c, int status, uint64_t world);
/* tokens.c: issues a token of each world for each of the actors (addresses separated by spaces;
 * NULL: the first one of the worlds who can call) and writes them as array elements. */
int control_write_tokens(struct control_call *c, struct json_writer *w, const uint64_t *worlds,
                         size_t n, const char *actors);
/* clock.c: writes the members of a clock into an open object. */
void control_write_clock(struct json_writer *w, const struct sosia_world_info *info);
/* meta.c: answers with an empty body. */
int control_answer_empty(struct control_call *c);
/* Answers {"NAME": blob}; the blob is JSON and is freed. */
int control_answer_member(struct control_call *c, const char *name, struct sosia_blob *blob);
/* Answers with what the buffer holds. */
int control_answer(struct control_call *c, int status, struct buf *body);

/* openapi.c: the document, made from the table. */
int control_openapi(struct sosia_blob *ret_json, struct sosia_err *err);

/* ---- handlers ---- */

/* worlds.c */
int control_worlds_create(struct control_call *c);
int control_worlds_list(struct control_call *c);
int control_worlds_get(struct control_call *c);
int control_worlds_fork(struct control_call *c);
int control_worlds_reset(struct control_call *c);
int control_worlds_snapshot(struct control_call *c);
int control_worlds_drop(struct control_call *c);
int control_worlds_ttl(struct control_call *c);
/* state.c */
int control_seed(struct control_call *c);
int control_dump(struct control_call *c);
int control_diff(struct control_call *c);
int control_hash(struct control_call *c);
int control_journal(struct control_call *c);
int control_journal_entry(struct control_call *c);
int control_outbox(struct control_call *c);
int control_actors(struct control_call *c);
/* file.c */
int control_export(struct control_call *c);
int control_import(struct control_call *c);
/* clock.c */
int control_clock_get(struct control_call *c);
int control_clock_put(struct control_call *c);
int control_clock_advance(struct control_call *c);
/* tokens.c */
int control_tokens_issue(struct control_call *c);
int control_tokens_revoke(struct control_call *c);
int control_credential(struct control_call *c);
/* meta.c */
int control_limits(struct control_call *c);
int control_health(struct control_call *c);
int control_metrics(struct control_call *c);
int control_describe(struct control_call *c);

#endif
