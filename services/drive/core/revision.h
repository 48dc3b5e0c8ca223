/* SPDX-License-Identifier: Apache-2.0 */
/* The contents that an item had. */
#ifndef SOSIA_DRIVE_REVISION_H
#define SOSIA_DRIVE_REVISION_H

#include "engine/state/stored.h"
#include "services/drive/core/drive.h"

#define DUE_REVISION                                                                               \
    "revision" /* kind of what falls due: an item may have revisions to forget                     \
                */

struct drive_revision {
    int64_t id, item, blob; /* blob 0: a document's */
    const char *key, *mime, *md5, *original;
    int64_t size; /* -1: none */
    int64_t modified_us, modifier;
    bool keep, published, publish_auto, publish_outside;
};

/* Its table of members: revision_seed.c. */
extern struct stored drive_revision_stored;

/* 1, 0, -1. */
int drive_revision_find(struct tx *tx, int64_t item, const char *key, struct drive_revision *ret);
/* From the one behind id `after` on, the oldest first; at most limit, in the arena. */
int drive_revisions(struct tx *tx, int64_t item, int64_t after, int64_t limit,
                    struct drive_revision **ret, size_t *ret_n);
/* The key of one: 1, 0, -1. */
int drive_revision_key(struct tx *tx, int64_t revision, const char **ret);
/* Those that are kept for ever, or published, the oldest first. 0, -1. */
int drive_revisions_marked(struct tx *tx, int64_t item, struct drive_revision **ret, size_t *ret_n);
/* Bytes of those that are kept for ever, without the one that the item has now. */
int drive_revisions_size(struct tx *tx, int64_t item, int64_t head, int64_t *ret);
/* Stores what may be changed of one. Fails with FORBIDDEN "tooManyKept". */
int drive_revision_save(struct tx *tx, const struct drive_item *it, const struct drive_revision *r);
/* Marks one as kept. Fails as drive_revision_save(). */
int drive_revision_keep(struct tx *tx, const struct drive_item *it, int64_t revision);
/* Forgets one, with the reference of its content. Fails with FORBIDDEN "headRevision" for the
 * one that the file has now. */
int drive_revision_delete(struct tx *tx, const struct drive_item *it,
                          const struct drive_revision *r);
/* A revision (0: none) has newer content behind it: it is forgotten when the vendor's time is over,
 * and the oldest that is not kept is forgotten now if there are more than the vendor has. */
struct drive_vendor;
int drive_revision_replaced(struct tx *tx, const struct drive_vendor *vendor, int64_t item,
                            int64_t revision);
/* Its time is over. */
int drive_revision_due(struct tx *tx, int64_t revision);

#endif
