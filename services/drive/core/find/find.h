/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding items: questions about what they are called, what they say, where they are, who has them
 * and when something happened to them, as trees that name no vendor; and lists of those that answer
 * one, in an order, a page at a time.
 */
#ifndef SOSIA_DRIVE_FIND_H
#define SOSIA_DRIVE_FIND_H

#include "services/drive/core/drive.h"

enum find_kind {
    FIND_AND,      /* both kids */
    FIND_OR,       /* one of them */
    FIND_NOT,      /* not left */
    FIND_NAME_IS,  /* text; letters of ASCII without case */
    FIND_NAME_HAS, /* words that begin with those of text; any case, accents count */
    FIND_TEXT,     /* as drive_index_find() */
    FIND_TYPE_IS,  /* text; the media type as the dialect shows it */
    FIND_TYPE_HAS, /* text is part of it */
    FIND_TIME,     /* time, op, at_us */
    FIND_TRASHED,
    FIND_STARRED,
    FIND_PARENT, /* id */
    FIND_OWNER,  /* id: an actor */
    FIND_WRITER, /* id, and text: their address; of those who may write */
    FIND_READER, /* the same, of those who may read */
    FIND_SHARED_WITH_ME,
    FIND_PROPERTY,    /* app, text: its name, text2: its value */
    FIND_VISIBILITY,  /* id: enum find_visibility */
    FIND_TARGET,      /* text: key of what a shortcut leads to */
    FIND_TARGET_TYPE, /* text: its media type */
    FIND_OWN          /* the dialect's: as the finder's own() says */
};
enum find_time { TIME_MODIFIED, TIME_CREATED, TIME_VIEWED, TIME_SHARED };
enum find_op { OP_EQ, OP_LT, OP_LE, OP_GT, OP_GE, OP_HAS, OP_STARTS, OP_NULL, OP_SET };
enum find_visibility {
    VISIBLE_LIMITED,
    VISIBLE_DOMAIN_LINK,
    VISIBLE_DOMAIN,
    VISIBLE_LINK,
    VISIBLE_ANYONE
};

struct find {
    enum find_kind kind;
    struct find *left, *right;
    const char *text, *text2, *value;
    int64_t id, app, at_us;
    enum find_time time;
    enum find_op op;
    int64_t *found; /* FIND_TEXT, FIND_NAME_HAS, _IS: what an index has, by rising id */
    size_t n_found;
    bool common; /* it has too many to be taken: items are looked at one by one */
};
enum { FIND_TYPES = 2 };    /* that are shown as one */
enum { FIND_NODES = 2000 }; /* of a tree */

enum find_scope {
    SCOPE_PERSON, /* what somebody owns, was given, or opened */
    SCOPE_DOMAIN, /* what their organisation finds */
    SCOPE_DRIVE,  /* a shared drive */
    SCOPE_ALL     /* all that they are a member of, and their own */
};

enum find_key {
    ORDER_CREATED,
    ORDER_FOLDER,
    ORDER_MY_MODIFIED,
    ORDER_MODIFIED,
    ORDER_NAME,
    ORDER_NAME_NATURAL,
    ORDER_SIZE,
    ORDER_RECENCY,
    ORDER_SHARED,
    ORDER_STARRED,
    ORDER_VIEWED,
    ORDER_KEYS
};

struct find_order {
    enum find_key key;
    bool falling;
};

struct drive_vendor;
struct drive_finder {
    struct drive_viewer *viewer;
    const struct drive_vendor *vendor; /* whose drives are looked at; NULL: all */
    struct find *question;             /* NULL: everything */
    enum find_scope scope;
    int64_t drive;                  /* SCOPE_DRIVE: its top */
    bool shared_drives;             /* SCOPE_PERSON: also what is in shared drives */
    bool in_drive, in_app;          /* spaces that are looked at */
    int64_t app;                    /* whose space */
    int64_t made_by[DRIVE_MAKERS];  /* in the drive only what these made (drive_is_made_by()) */
    const struct find_order *order; /* none: modified last comes first */
    size_t n_order;
    /* A question of the dialect's own, which narrows nothing: 1, 0, -1. NULL: it has none. */
    int (*own)(struct tx *tx, const struct find *q, const struct drive_item *it);
    /* The media type of an item as the dialect shows it. */
    const char *(*type)(struct arena *a, const struct drive_item *it);
    /* The media types of items that are shown as this one, in any case. */
    size_t (*stored_types)(const char *type, const char *ret[FIND_TYPES]);
};

/* The items of a page, at most limit, from the position on (NULL: the first), and the position
 * behind them, NULL if there are no more; in the transaction's arena. Fails with INVALID
 * "position", "tooComplex". */
int drive_find(struct drive_finder *f, const char *position, size_t limit, struct drive_item **ret,
               struct drive_access **ret_access, size_t *ret_n, const char **ret_position);

#endif
