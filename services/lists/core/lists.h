/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists without a vendor: columns, items with a value for each, their earlier values, and what
 * changed when. Times are microseconds since 1970; texts live in the transaction's arena. Functions
 * give 1 found, 0 not, -1 with tx->err filled, unless they say otherwise. Reasons of failures are
 * plain words that dialects put into their own.
 */
#ifndef SOSIA_LISTS_H
#define SOSIA_LISTS_H

#include "engine/state/stored.h"
#include "identity/identity.h"

extern const struct sosia_core lists_core;
#define LISTS_CORE "lists"
/* Events: items of a list changed, or the list is gone; the scope is the list's rowid. */
#define LISTS_CHANGED "lists.items"

/* What a vendor says: a record of its dialect (struct core_policy, for the core "lists"). */
struct lists_vendor {
    /* The key of what has lists, by what documents call it; and the other way round. 1, 0, -1. */
    int (*place_find)(struct tx *tx, const char *text, const char **ret_key);
    int (*place_name)(struct tx *tx, const char *key, const char **ret_text);
};

enum lists_kind {
    LISTS_TEXT,
    LISTS_NOTE, /* of several lines */
    LISTS_NUMBER,
    LISTS_CURRENCY,
    LISTS_BOOLEAN,
    LISTS_TIME,
    LISTS_CHOICE,
    LISTS_CHOICES, /* several of them */
    LISTS_LOOKUP,  /* the number of an item of another list */
    LISTS_PERSON,  /* a handle */
    LISTS_LINK,    /* {url, text} */
    LISTS_COMPUTED /* never given */
};
extern const char *const lists_kinds[];

enum {
    LISTS_VALUES_MOST = 1 << 20, /* bytes of an item's values */
    LISTS_COLUMNS_MOST = 500
}; /* of a list */

struct lists_list {
    int64_t id;
    const char *place, *key, *name, *title, *description, *template;
    bool hidden;
    int64_t creator, created_us, modified_us, version, next_number;
};

struct lists_column {
    int64_t id, list;
    const char *key, *name, *title, *description;
    int kind; /* enum lists_kind */
    bool required, indexed, single, hidden, multiple, free;
    const char *least, *most; /* JSON numbers; NULL: any */
    int64_t length;           /* characters; 0: any number */
    const char *choices;      /* JSON array; NULL: none */
    const char *target, *usual, *extra;
};

struct lists_item {
    int64_t id, list, number;
    const char *key, *values; /* JSON object */
    int64_t creator, modifier, created_us, modified_us, version, change;
};

struct lists_version {
    int64_t id, item, number;
    const char *values;
    int64_t modifier, modified_us;
};

/* ---- lists (list.c) ---- */

int lists_get(struct tx *tx, int64_t id, struct lists_list *ret);
int lists_by_key(struct tx *tx, const char *key, struct lists_list *ret);
/* Of a place, by key, title or name. */
int lists_find(struct tx *tx, const char *place, const char *text, struct lists_list *ret);
int lists_next(struct tx *tx, const char *place, int64_t after, struct lists_list *ret);
/* Makes a list with a column Title and fills id; key NULL: one is made. 0, -1; CONFLICT
 * "nameInUse". */
int lists_new(struct tx *tx, struct lists_list *list);
/* Stores title, description and hidden; its version rises. 0, -1. */
int lists_save(struct tx *tx, struct lists_list *list);
/* Deletes it with its items. 0, -1. */
int lists_drop(struct tx *tx, const struct lists_list *list);
/* The number of a list's newest change; 0: of none. 0, -1. */
int lists_newest(struct tx *tx, int64_t list, int64_t *ret);

/* ---- columns (list.c) ---- */

int lists_column_find(struct tx *tx, int64_t list, const char *text, struct lists_column *ret);
int lists_column_next(struct tx *tx, int64_t list, int64_t after, struct lists_column *ret);
/* Fills id; key NULL: one is made. 0, -1; CONFLICT "nameInUse", INVALID "columns": there are too
 * many. */
int lists_column_new(struct tx *tx, struct lists_column *column);
/* Stores all but list, key, name and kind. 0, -1. */
int lists_column_save(struct tx *tx, const struct lists_column *column);
/* Its values go with it. 0, -1. */
int lists_column_drop(struct tx *tx, const struct lists_column *column);

/* ---- items (item.c) ---- */

int lists_item_find(struct tx *tx, int64_t list, int64_t number, struct lists_item *ret);
int lists_item_get(struct tx *tx, int64_t id, struct lists_item *ret);
int lists_item_by_key(struct tx *tx, int64_t list, const char *key, struct lists_item *ret);
/* The next one by number. */
int lists_item_next(struct tx *tx, int64_t list, int64_t after, struct lists_item *ret);
/* The next change of a list behind one: an item, or (ret->id 0) one that was deleted. */
int lists_change_next(struct tx *tx, int64_t list, int64_t after, struct lists_item *ret);
int lists_count(struct tx *tx, int64_t list, int64_t *ret); /* 0, -1 */
/* A new item: number and times are filled, and the key where it is NULL. values: those that
 * lists_values() has made. 0, -1. */
int lists_item_new(struct tx *tx, struct lists_item *item, int64_t who);
/* New values; those that it had become a version. 0, -1. */
int lists_item_save(struct tx *tx, struct lists_item *item, const char *values, int64_t who);
int lists_item_drop(struct tx *tx, const struct lists_item *item); /* 0, -1 */
/* Earlier values, the newest first: the next one below a number. */
int lists_version_next(struct tx *tx, int64_t item, int64_t below, struct lists_version *ret);

/* ---- values (value.c) ---- */

/*
 * The values of an item as they are stored: those of `old` (a JSON object; NULL: a new item, which
 * has what is usual) with those of `given` in their places; null takes one away. given has names of
 * columns, and values as the core has them. Fails with INVALID and the column's name in err->where:
 * "unknown" (no such column), "type", "range", "length", "choice", "target", "missing" (a required
 * one), "taken" (of a column whose values are single), "size". item: its rowid, 0 of a new one; -1:
 * it comes from a document, and must have the types alone, since columns change later. 0, -1.
 */
int lists_values(struct tx *tx, const struct lists_list *list, int64_t item, const char *old,
                 const struct json *given, const char **ret);
/* May items have what is usual in a column? kept: its type counts alone. 0, -1 as lists_values().
 */
int lists_usual_check(struct tx *tx, const struct lists_column *column, bool kept);
/* Reads stored values. 0, -1. */
int lists_values_read(struct tx *tx, const char *values, const struct json **ret);

extern struct stored lists_list_stored, lists_column_stored, lists_item_stored,
    lists_version_stored; /* seed.c */

#endif
