/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property checks of Google Calendar: generated sequences of calls, and statements that hold at the
 * real service whatever the data. A sequence is a list of operations in numbers; what they mean is
 * found out when they are run, so that any of them can be left out and the rest still says
 * something. Where a statement does not hold, the shortest sequence that shows it is looked for and
 * written as a cassette.
 */
#ifndef SOSIA_CONFORMANCE_PROPERTIES_H
#define SOSIA_CONFORMANCE_PROPERTIES_H

#include "engine/json/json.h"
#include "sosia.h"
#include "tests/model/rules.h"

/* ---- the world ---- */

enum person { ADA, BOB, CYD, N_PEOPLE };
/* Their own calendars, and one of Ada's that Bob may write and Cyd may read. */
enum shelf { OF_ADA, OF_BOB, OF_CYD, SHARED, N_SHELVES };

extern const char *const person_names[]; /* of actors in cassettes: "ada" */
extern const char *const person_emails[];
extern const char *const shelf_ids[]; /* percent-encoded, for paths */
extern const enum person shelf_owner[];
extern const char world_document[]; /* a seed document, JSON */

/* Where generated events mostly lie, for calls that take a range. */
#define RANGE_MIN "2026-11-20T00:00:00Z"
#define RANGE_MAX "2027-01-20T00:00:00Z"

/* ---- sequences ---- */

enum op_kind {
    OP_INSERT,
    OP_PATCH,
    OP_PUT,
    OP_DELETE,
    OP_ANSWER,
    OP_PATCH_INSTANCE,
    OP_DELETE_INSTANCE,
    OP_MOVE,
    OP_IMPORT,
    OP_SHARE,
    OP_UNSHARE,
    OP_SUBSCRIBE,
    OP_ENTRY,
    OP_UNSUBSCRIBE,
    OP_CALENDAR,
    OP_WRONG,
    OP_ADVANCE,
    N_OPS
};

struct op {
    uint32_t number; /* in the sequence as it was generated; names what the operation makes */
    enum op_kind kind;
    enum person who;
    enum shelf shelf;
    uint32_t target; /* number of the operation that made the event */
    uint64_t dice;   /* all else comes from it; not 0 */
};

struct sequence {
    struct op *ops;
    size_t n;
    bool frozen; /* the clock does not move between calls; else it goes on by a second with each */
};

/* n operations, in the arena; the same seed gives the same ones. */
void sequence_generate(struct arena *a, uint64_t seed, size_t n, struct sequence *ret);

/* ---- calls ---- */

/* A call of a sequence, and what came back. */
struct made {
    const struct op *op;
    enum person who;
    const char *verb, *path; /* path: behind "/calendar/v3"; NULL: the clock was advanced */
    const char *if_match;    /* NULL: none */
    const char *send;        /* JSON text; NULL: none */
    const struct json *sent;
    int64_t advance_s;
    int status;
    const struct json *body; /* NULL: none */
    const char *event;       /* id of the event concerned; NULL: none */
    enum shelf shelf;
};

struct reply {
    int status;
    const struct json *body; /* NULL: none */
};

/* An event that the sequence made. */
struct slot {
    bool there;
    enum shelf shelf; /* where it was made, or moved to */
    const char *id;
    const struct rule *rule; /* that it was given last; NULL: none, or one nobody can check */
};

/* What shows a failure in a cassette: a call that is made before the call with the number `at`
 * (beyond the last: after all), and what must come back. */
struct demo {
    size_t at;
    enum person who;
    const char *verb, *path;
    const char *send;   /* JSON text; NULL: none */
    const char *expect; /* JSON text of the pattern; NULL: no body */
    int status;
};

enum { DEMOS_MAX = 128 };

struct failure {
    const struct property *property; /* NULL: everything held */
    char text[300];                  /* what was expected, and what came */
    struct demo demos[DEMOS_MAX];
    size_t n_demos;
};

struct run {
    struct sosia_engine *engine;
    uint64_t world;
    struct arena arena;
    char tokens[N_PEOPLE][SOSIA_TOKEN_MAX];
    const struct sequence *sequence;
    struct slot *slots; /* by number of the operation */
    struct made *made;
    size_t n_made;
    const struct property *only;   /* the one that is checked; NULL: all */
    const struct property *spoilt; /* answers are made such that it does not hold; NULL: none */
    uint64_t spoil_count;          /* of its own, for the spoiler */
    void *states[16];              /* of properties, by index */
    struct failure failure;
};

/* A call of a check. Answers live until the run ends. */
const struct reply *ask(struct run *r, enum person who, const char *verb, const char *path,
                        const char *send);
/* All items of a list, page by page: path with its query but without maxResults. Gives the status
 * of the first answer that is not 200, else 200. ret_last: the last page. */
int ask_list(struct run *r, enum person who, const char *path, unsigned page,
             const struct json **ret_items, const struct reply **ret_last);

/* Does an operation: the call and what it means for the slots. NULL: there was nothing to do. */
const struct made *op_do(struct run *r, const struct op *op);

/* ---- properties ---- */

struct property {
    const char *name, *says;
    /* All may be NULL. false: it does not hold, and r->failure says how. */
    bool (*begin)(struct run *r);
    bool (*before)(struct run *r, const struct op *op);
    bool (*after)(struct run *r, const struct made *made);
    bool (*end)(struct run *r);
    /* Makes an answer as a service would give it where this does not hold. */
    void (*spoil)(struct run *r, enum person who, const char *verb, const char *path,
                  struct reply *reply);
};

extern const struct property property_listed, property_deleted, property_sync, property_entries,
    property_pages, property_window, property_instances, property_patch, property_etag,
    property_refused, property_busy;
extern const struct property *const properties[]; /* NULL-terminated */
/* Its state, made (all zero bytes) if it is not there. */
void *property_state(struct run *r, const struct property *p, size_t size);
/* Notes a failure; gives false. */
__attribute__((format(printf, 3, 4))) bool fails(struct run *r, const struct property *p,
                                                 const char *fmt, ...);
/* Adds a call that shows it. expect: JSON text of a pattern, or NULL. */
void shows(struct run *r, size_t at, enum person who, const char *path, int status,
           const char *expect);

/* ---- values ---- */

/* Equal, whatever the order of members; members named in `but` (NULL-terminated, at any depth) are
 * not looked at. */
bool same_json(const struct json *a, const struct json *b, const char *const *but);
/* A copy of an object without a member, or with another text in it (NULL: without). */
const struct json *with_text(struct arena *a, const struct json *v, const char *key,
                             const char *text);
/* A copy of an object whose list `key` lacks its last item. */
const struct json *without_last(struct arena *a, const struct json *v, const char *key);
/* start or end of an event as an instant, seconds; all-day ones by midnight in the zone. */
int64_t instant_of(const struct json *event, const char *member, const struct tz *zone);
bool is_cancelled(const struct json *event);
const char *item_id(const struct json *item);
/* The item of that id in a list; NULL: none. */
const struct json *find_item(const struct json *items, const char *id);

/* ---- running ---- */

/* Runs a sequence in a fresh fork of the prepared world; failure is what went wrong first. The run
 * is the caller's, who ends it with run_done(). */
void run_sequence(struct sosia_engine *engine, uint64_t prepared, const struct sequence *s,
                  const struct property *only, const struct property *spoilt, struct run *ret_run);
void run_done(struct run *r);
/* Leaves operations out as long as the same property fails. The result is in the arena. */
void shrink(struct sosia_engine *engine, uint64_t prepared, const struct sequence *s,
            const struct property *p, const struct property *spoilt, struct arena *a,
            struct sequence *ret);
/* The run as a cassette. */
void write_cassette(struct run *r, struct buf *out);

#endif
