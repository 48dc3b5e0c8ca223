/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed between two states, entity by entity: the list that diffs are written of and that
 * assertions look at. Both states stay open as read transactions as long as the list is.
 */
#ifndef SOSIA_STATE_CHANGE_H
#define SOSIA_STATE_CHANGE_H

#include "engine/store/rowdiff.h"
#include "engine/world/engine.h"

#define CHANGES_ROOM ((size_t)512 << 20) /* bytes for the list, and for one thing that is read */

/* A row, and the first of the kinds that its table's rows are. */
struct change_found {
    const struct kind *kind;
    int64_t rowid;
};

/* Rows that a transaction under way has changed (changes_watch()). */
struct touched {
    const struct kinds *of;
    struct change_found *list;
    size_t n, cap;
    char table[64]; /* that the last row was of, whose kinds these are */
    const struct kind *kinds;
    bool failed; /* there was no memory for one */
};

struct change_side {
    struct worker *worker; /* NULL: the transaction is another's */
    struct buf *out;       /* that nobody else uses */
    struct world world;    /* a stand-in that holds the state to look at */
    struct arena reads;    /* the transaction's: what reading an entity takes */
    struct tx tx;
    struct tx_memo memo;
    bool open;
};

/* What differs in an entity that is on both sides: members of objects by dotted paths
 * ("start.dateTime"), everything else whole; from or to NULL: absent there. */
struct change_field {
    const char *path;
    const struct json *from, *to;
};

struct change {
    const struct sosia_core *core;
    const struct entity *entity;
    const struct entity_view *view; /* NULL: in the terms of seed documents */
    int64_t rowid;
    enum row_change kind;
    const struct json *from, *to;      /* objects; NULL: not there on that side */
    const struct change_field *fields; /* of ROW_CHANGED, but for seed_terms */
    size_t n_fields;
    const struct json *key;
    const char *service;
    const char *name; /* the same in every diff: "event/ada@acme.example/e1" */
    struct entity_about about;
    int64_t cause; /* place in the list of what it is a consequence of; -1: of nothing */
};

struct changes {
    struct change_side a, b;
    struct arena arena; /* of the list */
    size_t room;        /* bytes that each of its arenas may take */
    struct sosia_err *err;
    struct change *list; /* by person, service and name */
    size_t n;
    struct change_found *found;
    size_t n_found, cap_found;
    const struct kind *kinds; /* what the rows of the table that is being looked at are */
    struct parents *map;      /* of side a */
    struct before *before;    /* that is beside it; NULL: nothing is kept */
};

struct change_options {
    bool seed_terms; /* in the terms of seed documents, in the order of the cores, without causes */
    bool all;        /* with what changes by itself, and the traces of deliveries */
    const struct tree *near; /* as rowdiff_near() has it */
};

/* The name of an entity in diffs, of its key (entity_key()), in the arena, which the caller looks
 * at.
 */
const char *change_name(struct arena *a, const struct entity *entity, const struct json *key);

/* Opens the list of what leads from one world's state to another's. from 0: what `to` resets to.
 * changes_close() in any case, after a failure too. What time alone does by the clock of `to` (a
 * grant that has ended) is not a change. */
int changes_open(struct sosia_engine *e, uint64_t from, uint64_t to,
                 const struct change_options *opt, struct changes *ret, struct sosia_err *err);
/* The same of what leads from one state of a world to a later one, by a clock that shows now_us;
 * the trees must live until changes_close(). */
int changes_open_between(struct sosia_engine *e, uint64_t world, const struct tree *from,
                         const struct tree *to, int64_t now_us, struct changes *ret,
                         struct sosia_err *err);
/* From now on rows that the transaction changes are kept in *t, which outlives it; free t->list. */
void changes_watch(struct tx *tx, struct touched *t);
/* The same list of what a transaction that goes on has changed since then. It only looks at those
 * rows, and reads what was there before from the state that the transaction began with. The
 * transaction must go on until changes_close(). */
int changes_open_here(struct tx *tx, const struct touched *t, struct changes *ret);
void changes_close(struct changes *c);
/* Between entities that are read: what one took is gone before the next one, if it is much. */
void side_rest(struct change_side *s);
/* Whether it failed since what is looked at takes more than its room. */
bool changes_full(const struct changes *c);
/* For a diff that failed: TOO_LARGE "tooLarge" in the place of NO_MEMORY if that is so. out: what
 * it was written to. Gives -1. */
int changes_failed(const struct changes *c, const struct buf *out);
/* The worlds' tickets are on disk: before anything of the list is given out. */
int changes_sync(struct changes *c);

/* Equal values; the order of members does not matter. NULL is equal to NULL alone. */
bool json_same(const struct json *a, const struct json *b);
/* The fields in which two objects differ, in the arena: in the order of from, then of to. */
const struct change_field *fields_of(struct arena *a, const struct json *from,
                                     const struct json *to, size_t *ret_n);

/* An entity as the view, or its core where view is NULL, writes it; *ret NULL: it is not there. */
int entity_read(struct tx *tx, const struct entity *entity, const struct entity_view *view,
                int64_t rowid, struct entity_about *about, const struct json **ret);
/* An entity in its core's terms (entity->plain), in the arena; *ret NULL: it is not there. */
int entity_read_plain(struct tx *tx, struct arena *a, const struct entity *entity, int64_t rowid,
                      const struct json **ret);

#endif
