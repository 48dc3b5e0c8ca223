/* SPDX-License-Identifier: Apache-2.0 */
/* A method of a vendor's API is one row. Everything that knows methods reads the row. */
#ifndef SOSIA_API_ROUTE_H
#define SOSIA_API_ROUTE_H

#include "engine/base/err.h" /* SOSIA_LEN */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;
struct field;   /* engine/api/schema.h */
struct upgrade; /* engine/http/session.h */

enum verb { VERB_GET, VERB_POST, VERB_PUT, VERB_PATCH, VERB_DELETE, N_VERBS };
/* Sets of them. */
enum {
    GET = 1 << VERB_GET,
    POST = 1 << VERB_POST,
    PUT = 1 << VERB_PUT,
    PATCH = 1 << VERB_PATCH,
    DELETE = 1 << VERB_DELETE
};

enum risk { RISK_READ, RISK_DRAFT, RISK_WRITE, RISK_EXTERNAL, RISK_DESTRUCTIVE };
extern const char *const risk_names[]; /* in that order; NULL-terminated (route.c) */

/* Where a parameter is. */
enum param_place {
    IN_PATH,
    IN_QUERY,
    IN_HEADER,
    IN_FORM,    /* application/x-www-form-urlencoded */
    IN_JSON,    /* a member of a JSON object; other values than strings as their JSON text */
    IN_PART,    /* multipart/form-data */
    IN_ARGUMENT /* wherever the vendor takes arguments, the strongest place first (struct front) */
};

enum param_type {
    PARAM_STRING,
    PARAM_INT,      /* whole number within min..max */
    PARAM_BOOL,     /* true, false */
    PARAM_DATETIME, /* RFC 3339 with offset; value in microseconds */
    PARAM_DATE,     /* RFC 3339 full-date; value in days since 1970 */
    PARAM_ENUM,     /* one of values */
    PARAM_LIST,     /* strings, with commas between them or as a list in JSON */
    PARAM_JSON      /* a value in JSON */
};

struct param {
    const char *name;
    enum param_place place;
    enum param_type type;
    bool required, repeated, deprecated;
    const char *def;  /* default as text; NULL: absent */
    int64_t min, max; /* of a PARAM_INT; both 0: 32-bit range. max of a PARAM_STRING: bytes; 0: any.
                         Of a PARAM_JSON that is an array: items; max 0: any number */
    const char *const *values; /* of a PARAM_ENUM; NULL-terminated */
    const char *shape;         /* of a PARAM_JSON: "object" or "array"; NULL: any */
    const struct field *of;    /* ... what it is, in full; NULL: anything of its shape */
    const char *format;        /* as documents name it ("uint32"); NULL: that of the type */
    const char *summary;       /* ours; NULL: that of the dialect (struct gloss) */
    const char
        *fault; /* what the vendor says of a value that is not taken; NULL: its usual words */
};

enum body_kind { BODY_NONE, BODY_JSON, BODY_JSON_OPTIONAL, BODY_RAW };

/* The medium that a method takes: its bytes come beside the JSON body, on a path of its own. */
struct media {
    const char *accept; /* a media range: "message/..." */
    int64_t max; /* bytes, at most BLOB_MAX; beyond BYTES_VIEW the handler reads it in pieces */
    unsigned digests; /* of what comes in pieces: bits of enum blob_digest that the handler wants */
    /* Of media in pieces, before any has come: fails as the handler would for what the rest of the
     * request says. The call's medium is empty and has the type that was said. NULL: all is asked
     * when the media are there. */
    int (*check)(struct call *c);
};

/* When a method runs on a worker thread, so that the thread that serves others need not wait for
 * it. */
enum pace {
    PACE_FAST,  /* never */
    PACE_WRITE, /* if the engine is durable: it waits for the disk */
    PACE_SLOW   /* always: it may take milliseconds */
};

/* One method of a vendor's API. Everything that knows methods reads this row. */
struct route {
    const char *id;           /* the vendor's own: "calendar.events.insert" */
    unsigned verbs;           /* GET | POST */
    const char *const *paths; /* PATHS("/calendar/v3/calendars/{calendarId}/events"); documents show
                                 the first one (engine/api/router.h) */
    int (*handler)(struct call *c);
    enum risk risk;                                 /* at least */
    int (*risk_of)(struct call *c, enum risk *ret); /* that of a call, where its arguments decide:
        asked when the handler has succeeded and nothing is committed yet; counts where it is more
        than the row's. Of a row of RISK_READ the request's head alone decides: it is asked before,
        too, and then tx->write says what may be done. 0, -1. NULL: they don't */
    bool idempotent; /* of one that writes: to call it again has no further effect */
    bool anonymous;  /* needs no credential */
    bool secret;     /* its bodies hold credentials: the journal leaves them out */
    bool outside;    /* is served without a transaction: makes calls of its own (batch) */
    bool brief; /* of such a method: as a rule it is one call that reads, so others may wait for it
                   (call_leave()) */
    bool download;     /* can give a medium in the place of JSON */
    bool needs_body;   /* the body may be absent, and the method refuses that by itself */
    bool needs_fields; /* it refuses a call that does not say which members of the response to give
                        */
    bool content; /* of a raw body: it is the content of a file, which tools give as text or base64
                   */
    enum body_kind body;
    int64_t max_body; /* bytes of a body that is not a medium; 0: as many as servers take. Beyond
                         BYTES_VIEW the handler reads it in pieces (call.content) */
    unsigned token_kinds; /* bits of enum token_kind (engine/http/principal.h); 0: any will do */
    bool (*takes)(const struct call *c); /* whether it takes a token of such an app, with such
                                            scopes as the call's; NULL: all of these kinds */
    const char *scopes; /* alternatives, separated by spaces; NULL: any token will do */
    const struct param *params;
    size_t n_params;
    enum pace pace; /* of the control interface's rows; a world's calls have the engine's rule */
    int status;     /* of success, for documents; 0: any */
    const char *const *accepts; /* media types of a BODY_RAW; NULL-terminated; NULL: any */
    const char *gives; /* media type of a response without a schema, which there may be beside that
                          with one; NULL: none */
    const char *request, *response; /* names in the dialect's schema table; NULL: none */
    const struct media *media;      /* NULL: it takes none */
    const struct upgrade *upgrade;  /* it opens sessions; NULL: it does not */
    const char *rate;    /* the one of the dialect's rate classes it counts in; NULL: all */
    unsigned cost;       /* units of those; 0: one */
    const char *summary; /* one line, ours */
};

/* The methods of a resource: a table in the file that has their handlers. */
struct rows {
    const struct route *rows;
    size_t n;
};

/* What a row begins with: ROUTE("notes.get", GET, "/notes/v1/notes/{noteId}"), .handler = ... */
#define ROUTE(name, verb, ...) .id = (name), .verbs = (verb), .paths = PATHS(__VA_ARGS__)
#define PATHS(...)             ((const char *const[]){__VA_ARGS__, NULL})
#define PARAMS(table)          .params = (table), .n_params = SOSIA_LEN(table)
#define ROWS(table)                                                                                \
    {                                                                                              \
        .rows = (table), .n = SOSIA_LEN(table)                                                     \
    }
#define TABLES(...) ((const struct rows *const[]){__VA_ARGS__, NULL})

#endif
