/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between the drives of vendors. A dialect brings a record (struct core_policy of its
 * core, for the core "drive"); members that are NULL or 0 are as the core has it.
 */
#ifndef SOSIA_DRIVE_VENDOR_H
#define SOSIA_DRIVE_VENDOR_H

#include "services/drive/core/drive.h"

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

    bool links; /* has sharing links (access/link.h) */

    /* ---- keys, from the world's streams; NULL: failed ---- */

    /* secret: no one can guess it (tx_secret()). */
    const char *(*new_key)(struct tx *tx, enum drive_form form, enum drive_top top, bool secret);
    /* Of the next content of an item. NULL: small numbers (drive_revision_number()). */
    const char *(*revision_key)(struct tx *tx, const struct drive_item *it);

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
/* That of an item, which may be new if its parent or top is known. NULL: failed. */
const struct drive_vendor *drive_vendor_of(struct tx *tx, const struct drive_item *it);

/* A key that no item has. secret: as new_key() has it. NULL: failed. */
const char *drive_new_key(struct tx *tx, const struct drive_vendor *vendor, enum drive_form form,
                          enum drive_top top, bool secret);
/* The number behind those of an item's revisions, as text. NULL: failed. */
const char *drive_revision_number(struct tx *tx, int64_t item);

#endif
