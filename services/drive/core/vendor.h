/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between the drives of vendors. A dialect brings a record (struct core_policy of its
 * core, for the core "drive"); members that are NULL or 0 are as the core has it.
 */
#ifndef SOSIA_DRIVE_VENDOR_H
#define SOSIA_DRIVE_VENDOR_H

#include "services/drive/core/drive.h"

struct doc;
struct json;
struct json_writer;

struct drive_vendor {
    const char *name; /* as accounts have it */

    /* ---- names ---- */

    const char *root, *app_data; /* of the folders at the top */
    bool unique_names;           /* a folder has a name once, but for what is in the trash */
    /* Are two names the same to a path, and where they may not repeat? They differ in no more than
     * case and accents. NULL: byte by byte. */
    bool (*same_name)(struct arena *a, const char *x, const char *y);
    /* The nth name (1, 2, ...) for what can't have the one that it should have, in the arena. */
    const char *(*other_name)(struct arena *a, const char *name, enum drive_form form, int64_t n);

    /* The media type of a file of that name, where nothing else says it. NULL: any bytes. */
    const char *(*type_of)(const char *name);

    bool links; /* has sharing links (access/link.h) */

    /* ---- keys, from the world's streams; NULL: failed ---- */

    /* secret: no one can guess it (tx_secret()). */
    const char *(*new_key)(struct tx *tx, enum drive_form form, enum drive_top top, bool secret);
    /* Of the next content of an item. NULL: small numbers (drive_revision_number()). */
    const char *(*revision_key)(struct tx *tx, const struct drive_item *it);

    unsigned digests; /* that contents have beside DRIVE_DIGESTS: enum blob_digest */

    /* ---- what it keeps of an item, in tables of its own ---- */

    /* Members of a file in seed documents: their names (NULL-terminated), reading them when the
     * item is there, and writing them. 0, -1. */
    const char *const *item_members;
    int (*item_seed)(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it);
    int (*item_dump)(struct tx *tx, struct json_writer *w, const struct drive_item *it);
    /* The item is deleted: its rows go, not more of them than *rows, which counts down (part.h). */
    int (*item_drop)(struct tx *tx, int64_t item, int64_t *rows);

    /* ---- limits ---- */

    int max_depth;         /* folders in folders */
    int64_t trash_us;      /* life of what is in the trash */
    int64_t revision_us;   /* life of a revision that newer content replaced */
    int kept_revisions;    /* that are kept for ever, at most */
    int other_revisions;   /* others: the oldest goes when a new one comes */
    int64_t document_size; /* the smallest size of documents that are edited here */
};

/* The nth one of the engine; NULL: there are no more. */
const struct drive_vendor *drive_vendor_nth(const struct tx *tx, size_t n);
/* That of an item: of the account whose drive it is in. It may be new if its parent or account is
 * known. NULL: failed. */
const struct drive_vendor *drive_vendor_of(struct tx *tx, const struct drive_item *it);

/* What a provision of its dialect makes (struct provision): the folder at the top of the account's
 * drive. Without it that is made when it is first asked for. */
struct account;
int drive_provision(struct tx *tx, const struct account *account, const struct actor *actor);

/* For a dialect's own SQL: numbers of what was deleted and has rows yet, "item not in " DRIVE_GONE;
 * and such an item with what is below it as the table gone(id), for the parts of an entity by the
 * rows of drive_gone. */
#define DRIVE_GONE                                                                                 \
    "(with recursive gone(id) as (select item from drive_gone union all select i.id from gone g "  \
    "join drive_item i on i.parent = g.id) select id from gone)"
#define DRIVE_GONE_WITH                                                                            \
    "with recursive gone(id) as (select item from drive_gone where rowid = ?1 union all select "   \
    "i.id from gone g join drive_item i on i.parent = g.id) "
/* The table whose rows say that an item was deleted. */
#define DRIVE_GONE_TABLE "drive_gone"

/* A key that no item has. secret: as new_key() has it. NULL: failed. */
const char *drive_new_key(struct tx *tx, const struct drive_vendor *vendor, enum drive_form form,
                          enum drive_top top, bool secret);
/* The number behind those of an item's revisions, as text. NULL: failed. */
const char *drive_revision_number(struct tx *tx, int64_t item);

#endif
