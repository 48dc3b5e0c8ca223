/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who an item is shared with, seen from the item: each grantee once, with all the places that what
 * they have comes from. drive_role() (drive.h) asks the same from a viewer's side.
 */
#ifndef SOSIA_DRIVE_SHARE_H
#define SOSIA_DRIVE_SHARE_H

#include "services/drive/core/drive.h"

struct drive_share {
    enum drive_grantee kind;
    const char *who;      /* address or domain; "": anyone */
    enum drive_role role; /* of all places; ROLE_SEES: that there is a folder, nothing in it */
    bool owns;            /* the item itself, which no grant says */
    bool discoverable, pending;
    const char *view;   /* of that view only; NULL: the item */
    int64_t expires_us; /* 0: never */
    int64_t grant;      /* at the item itself; 0: none */
    enum drive_role direct;
    enum drive_role above; /* what comes from above, whatever is granted at the item */
    struct drive_share_from {
        struct drive_share_from *next;
        enum drive_role role;
        int64_t item; /* where it is granted: the item or a folder above it */
        bool top;     /* that is a shared drive's top: they are a member */
    } * from;         /* the nearest place first */
    /* ROLE_SEES: where they have what does not count in a folder of limited access. */
    struct drive_share_from *beyond;
};

/* All of them, the newest grant at the item first, then what comes from above, the owner last.
 * published: those of the published view too. 0, -1. */
int drive_shares(struct tx *tx, const struct drive_item *it, bool published,
                 struct drive_share **ret, size_t *ret_n);
/* Gives a grantee a role at the item, beside what comes from above. role ROLE_NONE takes away what
 * is granted at the item. sharer: who does it; 0: nobody. share: as drive_shares() gave it; NULL:
 * they have nothing. g holds the rest (discoverable, pending, view, expires_us). 0, -1. */
int drive_share_set(struct tx *tx, struct drive_item *it, const struct drive_share *share,
                    struct drive_grant *g, int64_t sharer);
/* Makes somebody the owner; who was it becomes a writer. to_root: it moves to the new owner's root.
 */
int drive_share_give(struct tx *tx, struct drive_item *it, const struct actor *owner, bool to_root);
#define DUE_GRANT "grant"
/* A grant's time is over: it is due by that name. */
int drive_share_expired(struct tx *tx, int64_t grant);

#endif
