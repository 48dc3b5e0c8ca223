/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service is to the engine. A core owns tables and domain logic and knows no vendor; a
 * dialect is a vendor's API on a core: a table of methods. services/list.c names them all.
 */
#ifndef SOSIA_SERVICE_H
#define SOSIA_SERVICE_H

#include "engine/tx.h"

struct actor;
struct call;
struct doc; /* engine/text/doc.h: the cursor of a seed document */

/* ---- cores ---- */

struct json_writer;

/* A kind of thing that seed documents, dumps and diffs speak of: "calendar", "event". */
struct entity {
    const char *name;
    const char *table; /* its rows; the rowid is its identity inside the world */
    /* What names it to a person: writes members such as "calendar" and "id" into an open object. 0,
     * -1. */
    int (*key)(struct tx *tx, int64_t rowid, struct json_writer *out);
    /* Writes its members in the form of the seed document into an open object. Nothing may be
     * written for a row that a dump leaves out: 1 written, 0 not there (no such row, a tombstone),
     * -1. */
    int (*dump)(struct tx *tx, int64_t rowid, struct json_writer *out);
    /* Rows of other tables that are part of it: attendees of an event. owner gives the entity's
     * rowid of such a row, 0 for none. NULL-terminated by table. */
    const struct entity_part {
        const char *table;
        const char *owner_sql; /* "select event from attendee where rowid = ?1" */
    } * parts;
};

/* A section of a seed document, in the order in which they are applied and dumped. */
struct section {
    const char *name; /* top-level member: "calendars" */
    /* Applies the section's value; it is called for every document, with NULL when the section is
     * absent. doc is the cursor for errors (engine/text/doc.h). */
    int (*seed)(struct tx *tx, struct doc *doc, const struct json *value);
    /* Writes the section as a member of the open top-level object; nothing if it would be empty. */
    int (*dump)(struct tx *tx, struct json_writer *out);
};

/* For a section's seed(): the value is a list (absent or null: an empty one); one() takes its
 * items, in order, with doc at each ("people[3]"). 0, -1. */
int seed_list(struct tx *tx, struct doc *doc, const struct json *value, const char *section,
              int (*one)(struct tx *tx, struct doc *doc, const struct json *item));
/* For a section's dump: a member that is a list with an object for each id that the query gives, in
 * its order, filled by one(). Nothing if there is none. */
int dump_list(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w));

/* For an entity's key(): the member with the text that the query gives for the rowid; nothing if
 * there is no such row. 0, -1. */
int dump_key(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *text,
             int64_t rowid);

/* What every row of a table must keep to besides its constraints, said as SQL that is true for a
 * row that does not: {"event", "kind not between 0 and 5"}. */
struct core_rule {
    const char *table, *broken;
};

struct resolver; /* engine/http/principal.h */

struct sosia_core {
    const char *name;
    const char *schema; /* SQL: tables, indexes, triggers; STRICT; run once on the empty world */
    const struct section *sections;
    size_t n_sections;
    const struct entity *entities;
    size_t n_entities;
    /* Something fell due (due_add). NULL: none do. */
    int (*due)(struct tx *tx, const char *kind, int64_t ref);
    /* Something that may be watched has changed (tx_changed). NULL: it does not care. */
    int (*changed)(struct tx *tx, const char *kind, int64_t id);
    /* Takes a letter (letter_send) to those for whom it has mailboxes; gives the addresses that are
     * left, separated by commas. NULL: it has none. */
    int (*letter)(struct tx *tx, const struct letter *l, const char **ret_rest);
    /* Takes an iCalendar object that mail brought to somebody (invitation_take). NULL: it has no
     * calendars. */
    int (*invitation)(struct tx *tx, const struct actor *who, const char *text, size_t len);
    /* Writes the credentials of that kind for an actor as the file that a vendor's programs load;
     * base_url is where they shall go. 1 written, 0 it knows no such kind or has none for the
     * actor, -1. NULL: it knows none. */
    int (*credential)(struct tx *tx, const char *kind, const struct actor *actor,
                      const char *base_url, struct buf *out);
    /* The rows of a file for import are anybody's: what the core relies on that constraints don't
     * say. The rules come first, NULL-terminated by table; check() looks at what SQL can't and may
     * rely on them: INVALID with what is wrong. NULL: nothing. */
    const struct core_rule *rules;
    int (*check)(struct tx *tx);
    /* It keeps the identities of worlds: what the door asks. NULL: it does not. */
    const struct resolver *resolver;
    /* Makes what no row holds (full-text indexes without content) from the rows, in a world that
     * was imported. NULL: nothing. */
    int (*derive)(struct tx *tx);
};

/* ---- dialects ---- */

enum verb { VERB_GET, VERB_POST, VERB_PUT, VERB_PATCH, VERB_DELETE, N_VERBS };

enum risk { RISK_READ, RISK_DRAFT, RISK_WRITE, RISK_EXTERNAL, RISK_DESTRUCTIVE };

enum param_place { IN_PATH, IN_QUERY };

enum param_type {
    PARAM_STRING,
    PARAM_INT,      /* whole number within min..max */
    PARAM_BOOL,     /* true, false */
    PARAM_DATETIME, /* RFC 3339 with offset; value in microseconds */
    PARAM_DATE,     /* RFC 3339 full-date; value in days since 1970 */
    PARAM_ENUM      /* one of values */
};

struct param {
    const char *name;
    enum param_place place;
    enum param_type type;
    bool required, repeated, deprecated;
    const char *def;           /* default as text; NULL: absent */
    int64_t min, max;          /* of a PARAM_INT; both 0: 32-bit range */
    const char *const *values; /* of a PARAM_ENUM; NULL-terminated */
    const char *format;        /* as documents name it ("uint32"); NULL: that of the type */
    const char *summary;
};

enum body_kind { BODY_NONE, BODY_JSON, BODY_JSON_OPTIONAL, BODY_RAW };

/* That a method takes a medium: its bytes come beside the JSON body, on a path of its own. */
struct media {
    const char *accept; /* a media range: "message/..." */
    int64_t max;        /* bytes */
};

/* One method of a vendor's API. Everything that knows methods reads this row. */
struct route {
    const char *id; /* the vendor's own: "calendar.events.insert" */
    enum verb verb;
    const char *path; /* "/calendar/v3/calendars/{calendarId}/events" */
    int (*handler)(struct call *c);
    enum risk risk;
    bool anonymous; /* needs no credential */
    bool secret;    /* its bodies hold credentials: the journal leaves them out */
    bool outside;   /* is served without a transaction: makes calls of its own (batch) */
    bool download;  /* can give a medium in the place of JSON */
    enum body_kind body;
    unsigned token_kinds; /* bits of enum token_kind (engine/http/principal.h); 0: any will do */
    const char *scopes;   /* alternatives, separated by blanks; NULL: any token will do */
    const struct param *params;
    size_t n_params;
    const char *request, *response; /* names in the dialect's schema table; NULL: none */
    const struct media *media;      /* NULL: it takes none */
    const char *rate;               /* class of the vendor's rate limits; NULL: none */
    const char *summary;            /* one line, ours */
};
#define PARAMS(table) .params = (table), .n_params = SOSIA_LEN(table)

/* ---- schemas ---- */

/* A member of a JSON body. */
struct field {
    const char *name;
    /* "string", "integer", "number", "boolean", "any", "object" (of these fields), or the name of a
     * schema of the same dialect */
    const char *type;
    const char *format; /* "date-time", "int32", "int64", ...; NULL: none */
    bool list;          /* an array of such values */
    bool map;           /* an object with free names for such values */
    bool read_only, immutable, deprecated;
    const char *def;            /* default as text; NULL: none */
    const char *const *values;  /* the closed set of a string; NULL-terminated; NULL: open */
    const char *required_for;   /* ids of methods, separated by blanks; NULL: none */
    const struct field *fields; /* of an "object" without a schema of its own */
    size_t n_fields;
    const char *summary; /* ours; NULL: none */
};

/* A shape that requests and responses of a dialect name (struct route). */
struct schema {
    const char *name;
    const struct field *fields;
    size_t n_fields;
    const char *summary; /* ours; NULL: none */
};

/* ---- vendors ---- */

/* What a vendor does the same way in all its APIs. */
struct vendor {
    const char *name; /* "google" */
    /* What stands in front of a method's path when it is called with a medium; NULL-terminated;
     * NULL: none of them is. */
    const char *const *upload_prefixes;
    /* In the place of the handler on such a path, which it calls when the medium is there. The verb
     * may be any but GET. */
    int (*upload)(struct call *c);
    /* Before the handler, and before credentials are looked at: the vendor's own query parameters
     * and headers. c->route is NULL for unknown paths. */
    int (*begin)(struct call *c);
    /* When credentials, parameters and body are good, before the handler; NULL: nothing to do. */
    int (*check)(struct call *c);
    /* After a handler that succeeded: headers. */
    void (*finish)(struct call *c);
    /* Writes c->err as the vendor's answer; c->route is NULL for unknown paths. */
    void (*error)(struct call *c);
};

struct dialect {
    const char *name;  /* "calendar.google" */
    const char *title; /* for people: "Google Calendar API v3" */
    const struct vendor *vendor;
    const char *const *prefixes; /* paths that are its own, for unknown methods; NULL-terminated */
    const struct route *routes;
    size_t n_routes;
    const struct schema *schemas; /* in the order of their names */
    size_t n_schemas;
    const char *methods; /* ids of all methods that the vendor's API has, one a line; NULL: nobody
                            counted them */
    const void *facts;   /* what the vendor's own code knows of this API, of a type of the vendor's;
                            NULL: nothing */
};

extern const struct sosia_core world_core;           /* the engine's own tables */
extern const struct sosia_core *const sosia_cores[]; /* NULL-terminated; in the order of seeding */
extern const struct dialect *const sosia_dialects[]; /* NULL-terminated */

#endif
